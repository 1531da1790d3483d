/** Small files of a model: text and JSON, read whole. */
import type { ByteStream } from "../../module/platform.js";
import { refuse } from "../refuse.js";
import type { FileSet } from "./model-files.js";

export type Json = Readonly<Record<string, unknown>>;

/** More than any tokenizer.json has: 33 MB are those of Gemma. */
const MOST_BYTES = 1 << 27;

/** @param most bytes, so that an answer without end is refused */
export async function bytesOf({ chunks }: ByteStream, most = MOST_BYTES): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > most) throw new RangeError(`a file is longer than ${most} bytes, which no file of its kind is`);
    parts.push(new Uint8Array(chunk));
  }
  if (parts.length === 1) return parts[0]!;
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Undefined for a file that does not exist, as below. */
export async function readText(fn: string, files: FileSet, name: string): Promise<string | undefined> {
  const content = await files.open(name);
  if (content === undefined) return undefined;
  if ("parsed" in content) throw refuse.type(fn, name, content.parsed, "a text as bytes, a Blob, a URL or a path");
  return new TextDecoder().decode(await bytesOf(content.stream));
}

async function readValue(fn: string, files: FileSet, name: string): Promise<unknown> {
  const content = await files.open(name);
  if (content === undefined) return undefined;
  if ("parsed" in content) return content.parsed;
  const text = new TextDecoder().decode(await bytesOf(content.stream));
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const what = text[0] === "<" ? "HTML" : "not JSON";
    throw refuse.malformed(fn, name, `is ${what}: ${(cause as Error).message}`, cause);
  }
}

export async function readJson(fn: string, files: FileSet, name: string): Promise<Json | undefined> {
  const value = await readValue(fn, files, name);
  if (value === undefined) return undefined;
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw refuse.malformed(fn, name, "holds no JSON object");
}

export async function readJsonList(fn: string, files: FileSet, name: string): Promise<unknown[] | undefined> {
  const value = await readValue(fn, files, name);
  if (value === undefined || Array.isArray(value)) return value;
  throw refuse.malformed(fn, name, "holds no JSON array");
}

/** A file that must be there. */
export async function needed<T>(fn: string, files: FileSet, name: string, read: Promise<T | undefined>): Promise<T> {
  const value = await read;
  if (value !== undefined) return value;
  const { where } = files;
  const beside = where.startsWith("the given files") ? undefined : await files.names?.("").catch(() => []);
  const listed = beside?.length
    ? `, which holds ${beside.sort().slice(0, 8).join(", ")}`
    : "; no such folder, or an empty one";
  const holds = beside ? listed : "";
  throw refuse.missing(fn, name, `${where}${holds}${files.hint ?? ""}`);
}

/** A name that another file holds: it must lie within the model's folder. */
export function nameWithin(fn: string, source: string, name: unknown): string {
  const isName =
    typeof name === "string" &&
    !/^[/\\]|^[a-z][a-z0-9+.-]*:|[\\\0]/i.test(name) &&
    !name.split("/").some((part) => part === "." || part === "..");
  if (isName) return name;
  throw refuse.malformed(fn, source, `names the file ${JSON.stringify(name)}, which is not within the model's folder`);
}
