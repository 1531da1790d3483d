/** Reads and writes files; errors name the file. */
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { UsageError } from "./arguments.js";

/** An error about a file. A name that is empty or has line breaks stands in quotation marks. */
export class FileError extends Error {
  constructor(file: string, why: string, cause?: unknown) {
    super(`${/^$|\p{Cc}/u.test(file) ? JSON.stringify(file) : file}: ${why}`, { cause });
  }
}

const REASONS: Record<string, string> = {
  ENOENT: "no such file or folder",
  EACCES: "permission denied",
  EISDIR: "is a folder",
  ENOTDIR: "is not a folder, or a part of its path is none",
  ENOSPC: "no space left",
  EEXIST: "is there already",
  ENOTEMPTY: "is there already, with files in it",
  EROFS: "the file system is read-only",
};

/** A failure of the system in few words. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return REASONS[code ?? ""] ?? message;
}

/** Failures of the system in few words, all others as they are. */
export async function about<T>(file: string, action: Promise<T>): Promise<T> {
  try {
    return await action;
  } catch (error) {
    const { code, function: isOfLibrary } = error as { code?: string; function?: string };
    throw code === undefined || isOfLibrary ? error : new FileError(file, reasonOf(error), error);
  }
}

/** The GGUF file of a folder, if it has one and no config.json. A folder that cannot be listed is refused where it is opened. */
export function ggufAlone(folder: string): string | undefined {
  let names: string[] = [];
  try {
    names = readdirSync(folder);
  } catch {}
  const [file, ...others] = names.filter((name) => /\.gguf$/i.test(name));
  const isAlone = file !== undefined && others.length === 0 && !names.includes("config.json");
  return isAlone ? join(folder, file) : undefined;
}

/** A text in UTF-8, or in UTF-16 where it begins with a byte order mark, as on Windows. */
export function decodedText(file: string, bytes: Uint8Array): string {
  const mark = ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);
  if (mark === 0xfffe || mark === 0xfeff)
    return new TextDecoder(mark === 0xfffe ? "utf-16le" : "utf-16be").decode(bytes);
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const again = Buffer.from(text);
  if (!again.equals(bytes)) {
    const line =
      bytes
        .subarray(
          0,
          bytes.findIndex((byte, i) => byte !== again[i]),
        )
        .filter((byte) => byte === 10).length + 1;
    throw new FileError(file, `line ${line} is not a text in UTF-8`);
  }
  return text.replace(/^\ufeff/, "");
}

let isRead = false;

/** All of standard input. A second reader would find nothing. */
export function standardInput(): Promise<Uint8Array> {
  if (isRead) throw new UsageError("standard input (-) can be given once");
  isRead = true;
  return buffer(process.stdin);
}

export const readText = async (file: string): Promise<string> => decodedText(file, await about(file, readFile(file)));

export function parseJson(file: string, text: string): object {
  if (text.trim() === "") throw new FileError(file, "is empty");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new FileError(file, `not JSON: ${(error as Error).message}`, error);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new FileError(file, "holds no JSON object");
}
