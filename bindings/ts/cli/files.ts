/** Reading and writing files, with messages that say which file. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { ggufMetadata, load } from "../entries/node.js";

/** What is wrong with a file. */
export class FileError extends Error {
  constructor(file: string, why: string, cause?: unknown) {
    super(`${file}: ${why}`, { cause });
  }
}

const REASONS: Record<string, string> = {
  ENOENT: "no such file",
  EACCES: "permission denied",
  EISDIR: "is a folder",
  ENOTDIR: "a part of the path is not a folder",
  ENOSPC: "no space left",
  EEXIST: "is there already",
  EROFS: "the file system is read-only",
};

/** Failures of the system in few words, all others as they are. */
export async function about<T>(file: string, action: Promise<T>): Promise<T> {
  try {
    return await action;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : new FileError(file, REASONS[code] ?? message, error);
  }
}

export function parseJson(file: string, text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new FileError(file, `not JSON: ${(error as Error).message}`, error);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new FileError(file, "holds no JSON object");
}

/** Metadata of a GGUF file, of which the header alone is read. */
async function readGguf(file: string): Promise<Record<string, unknown>> {
  await load({ analysis: true });
  try {
    return await about(file, ggufMetadata(file));
  } catch (error) {
    if (error instanceof FileError) throw error;
    throw new FileError(file, (error as Error).message.replace(/^(gguf|ggufMetadata): /, ""), error);
  }
}

/** A config.json, the folder that holds one, a GGUF file, or "-" for standard input. */
export async function readConfig(file: string): Promise<Record<string, unknown>> {
  if (/\.gguf$/i.test(file)) return readGguf(file);
  if (file === "-") return parseJson("standard input", await textOf(process.stdin)) as Record<string, unknown>;
  const path = (await about(file, stat(file))).isDirectory() ? join(file, "config.json") : file;
  return parseJson(path, await about(path, readFile(path, "utf8"))) as Record<string, unknown>;
}
