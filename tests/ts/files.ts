/** The files of this repository by their paths in it, and files that a test writes. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fromRoot } from "../../tools/setup/environment.mjs";

export { fromRoot };

export const readText = (path: string): string => readFileSync(fromRoot(path), "utf8");

export const readJson = <T>(path: string): T => JSON.parse(readText(path)) as T;

/** A text as one line, so that a sentence is found however it is wrapped. */
export const readUnwrapped = (path: string): string => readText(path).replaceAll(/\s+/g, " ");

/** The files in a folder and in those within it. */
export const filesIn = (folder: string, name: RegExp): string[] =>
  readdirSync(fromRoot(folder), { recursive: true, encoding: "utf8" })
    .filter((file) => name.test(file))
    .map((file) => join(folder, file))
    .sort();

/** Writes files into a folder: texts and bytes as they are, anything else as JSON. */
export function writeFiles(folder: string, files: Iterable<readonly [name: string, content: unknown]>): void {
  for (const [name, content] of files) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    const isWritten = typeof content === "string" || content instanceof Uint8Array;
    writeFileSync(path, isWritten ? content : JSON.stringify(content));
  }
}
