/** The files of this repository, by their paths in it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
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
