/** The files of sentence-transformers beside a model: which there are, and their bytes. C++ reads what is in them. */

import type { Form, Module } from "../heads/surface.js";
import { refuse } from "../refuse.js";
import type { FileSet } from "./model-files.js";
import { bytesOf, nameWithin, needed, readJson, readJsonList } from "./read.js";

export interface NamedBytes {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

export interface SentenceFiles {
  /** The folder of config.json, the weights and the tokenizer: "", or a path with a slash behind it. */
  folder: string;
  /** Empty where there is no modules.json. */
  files: NamedBytes[];
  /** Where the modules make something else than one vector of hidden states. */
  form?: Form;
  /** Members of `sentence_transformers` in config.json, from which C++ reads how the logit of a cross-encoder becomes a score. */
  relevance?: object;
}

/** By the last word of a module's type. */
const FILES: ReadonlyMap<string, readonly string[]> = new Map([
  ["Pooling", ["config.json"]],
  ["Dense", ["config.json", "model.safetensors"]],
]);

const MODULES = "modules.json";
const MOST_MODULES = 64;

async function bytesIn(files: FileSet, name: string): Promise<NamedBytes | undefined> {
  const content = await files.open(name);
  if (content === undefined) return undefined;
  if ("stream" in content) return { name, bytes: await bytesOf(content.stream) };
  return { name, bytes: asBytes(content.parsed) };
}

const inFolder = (path: string, name: string): string => (path === "" ? name : `${path}/${name}`);

const TOKEN_MODULES = ["Dense", "Normalize", "MultiVectorMask"];

/** A transformer alone gives weights of words where it is a masked language model, as C++ finds. */
function formOf(modules: readonly Module[]): Form["kind"] | undefined {
  const [first, ...others] = modules.map(({ kind }) => kind);
  if (first === "StaticEmbedding") return "static";
  if (first !== "Transformer" && first !== "MLMTransformer") return undefined;
  if (others.length === 1 && others[0] === "LogitScore") return "score";
  if (others.length === 0 || (others.length === 1 && others[0] === "SpladePooling")) return "sparse";
  return others.every((kind) => TOKEN_MODULES.includes(kind)) ? "tokens" : undefined;
}

const asBytes = (value: object) => new TextEncoder().encode(JSON.stringify(value));

/** Every model may lack config_sentence_transformers.json and sentence_bert_config.json. */
export async function readSentenceFiles(fn: string, files: FileSet): Promise<SentenceFiles> {
  const modules = await readJsonList(fn, files, MODULES);
  if (modules === undefined) return { folder: "", files: [] };
  if (modules.length > MOST_MODULES)
    throw refuse.malformed(fn, MODULES, `names ${modules.length} modules; allowed: up to ${MOST_MODULES}`);
  const all = modules.map((module): Module => {
    const { path = "", type } = (module ?? {}) as { path?: unknown; type?: unknown };
    const folder = path === "" || path === "." ? "" : nameWithin(fn, MODULES, path).replace(/\/+$/, "");
    return { kind: typeof type === "string" ? type.replace(/^.*\./, "") : "", path: folder };
  });
  const kind = formOf(all);
  const first = all[0]?.path ?? "";
  const folder = first === "" ? "" : `${first}/`;
  if (all.length === 1 && kind === "sparse") {
    const task = (await readJson(fn, files, inFolder(first, "sentence_bert_config.json")))?.transformer_task;
    const own = await readJson(fn, files, "config_sentence_transformers.json");
    // A cross-encoder as sentence-transformers writes it from version 5.4 on: its classifier scores, as without modules.
    if (task === "sequence-classification" || own?.model_type === "CrossEncoder")
      return {
        folder,
        files: [],
        ...(own?.activation_fn != null && { relevance: { activation_fn: own.activation_fn } }),
      };
  }
  const read: NamedBytes[] = [];
  if (kind === undefined) {
    read.push({ name: MODULES, bytes: asBytes(modules) });
    for (const module of all)
      for (const file of FILES.get(module.kind) ?? []) {
        const name = inFolder(module.path, file);
        read.push(await needed(fn, files, name, bytesIn(files, name)));
      }
  } else {
    // C++ reads the prompts and the lengths, for which it needs modules of its own kind.
    const own = ["Transformer", "Pooling"].map((type, i) => ({ type, path: i === 0 ? first : "pooling" }));
    read.push({ name: MODULES, bytes: asBytes(own) }, { name: "pooling/config.json", bytes: asBytes({}) });
  }
  for (const name of ["config_sentence_transformers.json", inFolder(first, "sentence_bert_config.json")]) {
    const file = await bytesIn(files, name);
    if (file !== undefined) read.push(file);
  }
  return { folder, files: read, ...(kind && { form: { kind, modules: all } }) };
}
