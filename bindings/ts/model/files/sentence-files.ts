/** The files of sentence-transformers beside a model: which there are, and their bytes. C++ reads what is in them. */

import type { FileSet } from "./model-files.js";
import { bytesOf, nameWithin, needed, readJsonList } from "./read.js";

export interface NamedBytes {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

export interface SentenceFiles {
  /** The folder of config.json, the weights and the tokenizer: "", or a path with a slash behind it. */
  folder: string;
  /** Empty where there is no modules.json. */
  files: NamedBytes[];
}

/** By the last word of a module's type. */
const FILES: ReadonlyMap<string, readonly string[]> = new Map([
  ["Pooling", ["config.json"]],
  ["Dense", ["config.json", "model.safetensors"]],
]);

const MODULES = "modules.json";

async function bytesIn(files: FileSet, name: string): Promise<NamedBytes | undefined> {
  const content = await files.open(name);
  if (content === undefined) return undefined;
  if ("stream" in content) return { name, bytes: await bytesOf(content.stream) };
  return { name, bytes: new TextEncoder().encode(JSON.stringify(content.parsed)) };
}

const inFolder = (path: string, name: string): string => (path === "" ? name : `${path.replace(/\/+$/, "")}/${name}`);

/** Every model may lack config_sentence_transformers.json and sentence_bert_config.json. */
export async function readSentenceFiles(fn: string, files: FileSet): Promise<SentenceFiles> {
  const modules = await readJsonList(fn, files, MODULES);
  if (modules === undefined) return { folder: "", files: [] };
  const read: NamedBytes[] = [{ name: MODULES, bytes: new TextEncoder().encode(JSON.stringify(modules)) }];
  const pathOf = (module: unknown): string => {
    const { path = "" } = (module ?? {}) as { path?: unknown };
    return path === "" ? "" : nameWithin(fn, MODULES, path);
  };
  const first = pathOf(modules[0]);
  const folder = first === "" ? "" : inFolder(first, "");
  for (const module of modules) {
    const type = String(((module ?? {}) as { type?: unknown }).type);
    for (const file of FILES.get(type.replace(/^.*\./, "")) ?? []) {
      const name = inFolder(pathOf(module), file);
      read.push(await needed(fn, files, name, bytesIn(files, name)));
    }
  }
  for (const name of ["config_sentence_transformers.json", inFolder(first, "sentence_bert_config.json")]) {
    const file = await bytesIn(files, name);
    if (file !== undefined) read.push(file);
  }
  return { folder, files: read };
}
