/** The configuration that a command is given: config.json, its folder, a GGUF file or standard input. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { ggufMetadata, load } from "../entries/node.js";
import { about, FileError, parseJson } from "./files.js";

/** Metadata of a GGUF file, of which the header alone is read. */
async function readGguf(file: string): Promise<Record<string, unknown>> {
  await load({ analysis: true });
  try {
    return await about(file, ggufMetadata(file));
  } catch (error) {
    if (error instanceof FileError) throw error;
    throw new FileError(file, (error as Error).message.replace(/^ggufMetadata: (gguf: )?/, ""), error);
  }
}

/** A config.json, the folder that holds one, a GGUF file, or "-" for standard input. */
export async function readConfig(file: string): Promise<Record<string, unknown>> {
  if (/\.gguf$/i.test(file)) return readGguf(file);
  if (file === "-") return parseJson("standard input", await textOf(process.stdin)) as Record<string, unknown>;
  const path = (await about(file, stat(file))).isDirectory() ? join(file, "config.json") : file;
  return parseJson(path, await about(path, readFile(path, "utf8"))) as Record<string, unknown>;
}
