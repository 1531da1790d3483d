/** Chat templates among the files of a model: in chat_template.jinja, tokenizer_config.json, or GGUF's metadata. */
import type { FileSet } from "../files/model-files.js";
import { type Json, readText } from "../files/read.js";

/** Templates by name; the one of most models is called "default". */
export type Templates = ReadonlyMap<string, string>;

const FOLDER = "additional_chat_templates/";

/** `chat_template` of tokenizer_config.json: a text, or a list of names and texts. */
function inConfig(config: Json): [string, string][] {
  const { chat_template: given } = config;
  if (typeof given === "string") return [["default", given]];
  if (!Array.isArray(given)) return [];
  return given.flatMap(({ name, template }: { name?: unknown; template?: unknown }) =>
    typeof name === "string" && typeof template === "string" ? [[name, template] as [string, string]] : [],
  );
}

/** Files win over tokenizer_config.json, as in Transformers. */
export async function readTemplates(fn: string, files: FileSet, config: Json): Promise<Templates> {
  const templates = new Map(inConfig(config));
  const main = await readText(fn, files, "chat_template.jinja");
  if (main !== undefined) templates.set("default", main);
  // Where files cannot be listed, asking for such names would be answered by 404 for nearly every model.
  const others = ((await files.names?.(FOLDER)) ?? []).filter((name) => name.endsWith(".jinja"));
  for (const name of others) {
    const text = await readText(fn, files, FOLDER + name);
    if (text !== undefined) templates.set(name.slice(0, -".jinja".length), text);
  }
  return templates;
}

const GGUF_KEY = /^tokenizer\.chat_template(?:\.(.+))?$/;

/** The metadata of a GGUF file has one under each key `tokenizer.chat_template` and `tokenizer.chat_template.NAME`. */
export function templatesOfGguf(metadata: Json): Templates {
  const found = Object.entries(metadata).flatMap(([key, text]) => {
    const match = GGUF_KEY.exec(key);
    return match !== null && typeof text === "string" ? [[match[1] ?? "default", text] as const] : [];
  });
  return new Map(found);
}

const TOKENS = ["bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"];

const contentOf = (token: unknown): string | undefined => {
  const text = typeof token === "object" && token !== null ? (token as Json).content : token;
  return typeof text === "string" ? text : undefined;
};

/** The special tokens that tokenizer_config.json names, as templates find them. */
export function namedTokens(config: Json): Readonly<Record<string, string>> {
  const named = TOKENS.map((name) => [name, contentOf(config[name])] as const);
  return Object.fromEntries(named.filter((entry): entry is readonly [string, string] => entry[1] !== undefined));
}

/** The same from GGUF, which has them as numbers. */
export function namedTokensOfGguf(metadata: Json): Readonly<Record<string, string>> {
  const tokens = metadata["tokenizer.ggml.tokens"];
  if (!Array.isArray(tokens)) return {};
  const named = [
    ["bos_token", "bos"],
    ["eos_token", "eos"],
    ["unk_token", "unknown"],
    ["sep_token", "separator"],
    ["pad_token", "padding"],
  ].map(([name, key]) => [name!, tokens[metadata[`tokenizer.ggml.${key}_token_id`] as number] as unknown] as const);
  return Object.fromEntries(named.filter((entry): entry is readonly [string, string] => typeof entry[1] === "string"));
}
