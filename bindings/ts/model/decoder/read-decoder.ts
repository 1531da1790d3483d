/** From the files of a model to what a decoder is made of. */
import { optionsObject } from "../../module/errors.js";
import { configToJson } from "../../module/options.js";
import type { ByteStream, Open } from "../../module/platform.js";
import type { Chat, LoadTemplates } from "../chat/chat.js";
import { namedTokens, readTemplates, type Templates } from "../chat/templates.js";
import { type FileSet, filesOf, type ModelFiles } from "../files/model-files.js";
import { type Json, needed, readJson } from "../files/read.js";
import { openWeights } from "../files/weights.js";
import type { grammarsOf } from "../grammar/grammar.js";
import { flag } from "../options.js";
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
  screen: boolean;
  /** One, or as many as there are shards. */
  weights(): Promise<ByteStream[]>;
}

/** Code that is loaded with the first model that needs it. */
export interface LoadLater {
  loadTokenizer: LoadTokenizer;
  loadTemplates: LoadTemplates;
  loadGrammars: () => Promise<typeof grammarsOf>;
}

export interface DecoderParts extends DecoderFiles {
  /** Read from tokenizer.json. */
  tokenizer: Tokenizer | undefined;
  later: LoadLater;
  /** Undefined where only the metadata of a GGUF file can say, or where there is no template. */
  chat: Chat | undefined;
  /** The special tokens that tokenizer_config.json names. */
  named: Readonly<Record<string, string>>;
  /** About the files. */
  notes: readonly string[];
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
  const screen = flag(fn, "screen", options.screen ?? false);
  const weights = () => openWeights(fn, files, "");
  if (files.gguf !== undefined) return { fn, json: "", precision, context, screen, config: undefined, weights };
  const either = async () => (await readJson(fn, files, "config.json")) ?? readJson(fn, files, "params.json");
  const config = await needed(fn, files, "config.json or params.json", either());
  const json = configToJson(fn, config);
  return { fn, json, precision, context, screen, config, weights };
}

/** Undefined where there is no template. */
export async function chatOf(
  templates: Templates,
  named: Readonly<Record<string, string>>,
  { loadTemplates }: LoadLater,
): Promise<Chat | undefined> {
  return templates.size === 0 ? undefined : new (await loadTemplates())({ templates, named });
}

export async function readDecoder(
  source: ModelFiles,
  open: Open,
  later: LoadLater,
  options: DecoderOptions,
): Promise<DecoderParts> {
  const fn = "decoder";
  const { signal } = optionsObject(fn, "options", options);
  signal?.throwIfAborted();
  const files = await filesOf(fn, source, open, signal ?? undefined);
  const { config, ...read } = await readDecoderFiles(fn, files, options);
  const generation = await readJson(fn, files, "generation_config.json");
  const given = eosIn(fn, "generation_config.json", generation);
  const ids = given ?? (config && (eosIn(fn, "config.json", config) ?? []));
  const modelType = config ? config.model_type : "llama";
  const { tokenizer, tokenizerConfig } = await readTokenizer(fn, files, "", modelType, later.loadTokenizer);
  const templates = tokenizer && (await readTemplates(fn, files, tokenizerConfig));
  const named = namedTokens(tokenizerConfig);
  const chat = templates && (await chatOf(templates, named, later));
  const notes = files.note === undefined ? [] : [files.note];
  const { context = 0 } = options;
  const trained = config?.max_position_embeddings;
  if (typeof trained === "number" && context > trained)
    notes.push(
      `context: ${context} tokens, but max_position_embeddings is ${trained}: longer texts may make no sense.`,
    );
  return { ...read, tokenizer, later, chat, named, notes, eos: ids && new Set(ids) };
}
