/** The configuration that a command is given: config.json, its folder, a GGUF file or standard input. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { ggufMetadata, load } from "../entries/node.js";
import { about, FileError, ggufAlone, parseJson, standardInput } from "./files.js";
import { jsonOfPython, repeatedKey, TEXT } from "./json-strict.js";

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

/** Marks of people and editors that JSON does not have, and how to recognise them outside of texts. */
const NOT_IN_JSON: readonly (readonly [RegExp, string])[] = [
  [/\/\/|\/\*|^[^\S\n]*#/m, "holds a comment, which JSON does not have"],
  [/,\s*[}\]]/, "has a comma before a closing bracket"],
  [/'|\b(None|True|False)\b/, "is as Python prints a dictionary: write it with json.dump"],
];

/** Reads what Python's json reads, NaN and Infinity too. */
function parseConfig(file: string, text: string, warn: (text: string) => void): Record<string, unknown> {
  if (text.startsWith("\ufeff"))
    throw new FileError(
      file,
      "begins with a byte order mark, which Transformers refuses: save it as UTF-8 without one",
    );
  if (text.includes("\ufffd")) throw new FileError(file, "is not a text in UTF-8");
  const json = jsonOfPython(text);
  let config: object;
  try {
    config = parseJson(file, json);
  } catch (error) {
    const rest = text.replace(new RegExp(TEXT, "g"), '""');
    for (const [looks, hint] of NOT_IN_JSON) {
      const at = rest.search(looks);
      if (at >= 0) throw new FileError(file, `not JSON: line ${rest.slice(0, at).split("\n").length} ${hint}`, error);
    }
    throw error;
  }
  const twice = repeatedKey(json);
  if (twice !== undefined) warn(`${file}: \`${twice}\` stands twice in one object; every reader takes the last.`);
  return config as Record<string, unknown>;
}

/**
 * A config.json, the folder that holds one, a GGUF file, or "-" for standard input. `warn` hears of what can be read and
 * cannot be meant.
 */
export async function readConfig(file: string, warn = (_: string): void => {}): Promise<Record<string, unknown>> {
  if (/\.gguf$/i.test(file)) return readGguf(file);
  if (file === "-")
    return parseConfig(
      "standard input",
      new TextDecoder("utf-8", { ignoreBOM: true }).decode(await standardInput()),
      warn,
    );
  const isFolder = (await about(file, stat(file))).isDirectory();
  const gguf = isFolder ? ggufAlone(file) : undefined;
  if (gguf !== undefined) return readGguf(gguf);
  const path = isFolder ? join(file, "config.json") : file;
  return parseConfig(path, await about(path, readFile(path, "utf8")), warn);
}
