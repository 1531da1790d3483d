/** From the files of a model to what a decoder is made of. */
import { optionsObject } from "../../module/errors.js";
import { configToJson } from "../../module/options.js";
import type { ByteStream, Open } from "../../module/platform.js";
import { type FileSet, filesOf, type ModelFiles } from "../files/model-files.js";
import { type Json, readJson } from "../files/read.js";
import { openWeights } from "../files/weights.js";
import { type Precision, precisionOf } from "../precision.js";
import { readTokenizer } from "../read-encoder.js";
import { refuse } from "../refuse.js";
import type { LoadTokenizer, Tokenizer } from "../text/tokenizer.js";
import { place } from "./arguments.js";
import type { DecoderOptions } from "./surface.js";

/** The weights and what they are read with. */
export interface DecoderFiles {
  fn: string;
  /** config.json or params.json; empty where the weights are a GGUF file. */
  json: string;
  precision: Precision;
  /** 0: the model's own. */
  context: number;
  /** One, or as many as there are shards. */
  weights(): Promise<ByteStream[]>;
}

export interface DecoderParts extends DecoderFiles {
  /** Read from tokenizer.json. */
  tokenizer: Tokenizer | undefined;
  loadTokenizer: LoadTokenizer;
  /** Ids that end a text; undefined where only the metadata of a GGUF file can say. */
  eos: ReadonlySet<number> | undefined;
}

/** `eos_token_id` is a number, a list, or null. */
function eosIn(fn: string, name: string, file: Json | undefined): number[] | undefined {
  const { eos_token_id: given } = file ?? {};
  if (given === undefined || given === null) return undefined;
  const ids: unknown[] = Array.isArray(given) ? given : [given];
  for (const id of ids)
    if (!Number.isInteger(id))
      throw refuse.type(fn, `eos_token_id\` of \`${name}`, given, "a token id or an array of them");
  return ids as number[];
}

/** The ids in GGUF's metadata. */
export function eosOfGguf(metadata: Json): ReadonlySet<number> {
  const id = metadata["tokenizer.ggml.eos_token_id"];
  return new Set(typeof id === "number" ? [id] : []);
}

async function ggufOf(fn: string, files: FileSet, name: string): Promise<ByteStream> {
  const content = await files.open(name);
  if (content === undefined) throw refuse.range(fn, "files", files.where, `files among which is ${name}`);
  if ("stream" in content) return content.stream;
  throw refuse.type(fn, name, content.parsed, "bytes, a Blob, a Response, a URL or a path");
}

function contextOf(fn: string, context: unknown): number {
  if (context === undefined) return 0;
  const size = place(fn, "context", context);
  if (size === 0) throw refuse.range(fn, "context", context, "a whole number of at least 1");
  return size;
}

export async function readDecoderFiles(
  fn: string,
  files: FileSet,
  options: DecoderOptions,
): Promise<DecoderFiles & { config: Json | undefined }> {
  const precision = precisionOf(fn, options);
  const context = contextOf(fn, options.context);
  const { gguf } = files;
  if (gguf !== undefined) {
    const weights = async () => [await ggufOf(fn, files, gguf)];
    return { fn, json: "", precision, context, config: undefined, weights };
  }
  const config = (await readJson(fn, files, "config.json")) ?? (await readJson(fn, files, "params.json"));
  if (config === undefined)
    throw refuse.range(fn, "files", files.where, "files among which is config.json or params.json");
  const json = configToJson(fn, config);
  return { fn, json, precision, context, config, weights: () => openWeights(fn, files, "") };
}

export async function readDecoder(
  source: ModelFiles,
  open: Open,
  loadTokenizer: LoadTokenizer,
  options: DecoderOptions,
): Promise<DecoderParts> {
  const fn = "decoder";
  const { signal } = optionsObject(fn, "options", options);
  signal?.throwIfAborted();
  const files = filesOf(fn, source, open, signal ?? undefined);
  const { config, ...read } = await readDecoderFiles(fn, files, options);
  const generation = await readJson(fn, files, "generation_config.json");
  const given = eosIn(fn, "generation_config.json", generation);
  const ids = given ?? (config && (eosIn(fn, "config.json", config) ?? []));
  const { tokenizer } = await readTokenizer(fn, files, "", config ? config.model_type : "llama", loadTokenizer);
  return { ...read, tokenizer, loadTokenizer, eos: ids && new Set(ids) };
}
