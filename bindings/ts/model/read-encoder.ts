/** From the files of a model to what an encoder is made of. */
import type { ByteSource } from "../module/bytes.js";
import { streamOf } from "../module/bytes.js";
import { optionsObject } from "../module/errors.js";
import { configToJson } from "../module/options.js";
import type { ByteStream, Open } from "../module/platform.js";
import type { LoadProgress } from "../module/receive.js";
import { type FileSet, filesOf, type ModelFiles } from "./files/model-files.js";
import { type Json, needed, readJson, readText } from "./files/read.js";
import { readSentenceFiles } from "./files/sentence-files.js";
import { openWeights } from "./files/weights.js";
import type { EncoderMakings, NativeFacts } from "./native-encoder.js";
import { type Precision, precisionOf } from "./precision.js";
import { refuse } from "./refuse.js";
import { layerRopes } from "./rope-text.js";
import type { EncoderFacts } from "./text/text-model.js";
import type { LoadTokenizer, Tokenizer } from "./text/tokenizer.js";

export interface ModelOptions extends LoadProgress {
  /**
   * Default "float32". With "int8" each row of a matrix becomes whole numbers from -63 to 63 and a scale: faster, in a
   * quarter of the memory, with the same bits on every machine. Answers differ a little from those in float32. A
   * checkpoint that holds weights in 8 bits, as `ropewalk quantize` writes it, is always "int8".
   */
  precision?: Precision | undefined;
}

export interface RoFormerSource {
  /** Hugging Face's config.json, parsed, plus the optional key `position_encoding` (default "rope"). */
  config: object;
  /** model.safetensors with float32, float16 or bfloat16 tensors. A string is a URL; in Node it may be a path. */
  weights: ByteSource;
  /** tokenizer.json (parsed or as text), or the text of vocab.txt. Without it the model takes ids only. */
  tokenizer?: object | string;
  /** As ModelOptions has it. */
  precision?: Precision;
}

/** The parts of an encoder that have been read; its weights are still on their way. */
export interface EncoderParts {
  makings: EncoderMakings;
  config: Json;
  tokenizer: Tokenizer | undefined;
  /** The longest text in tokens that the tokenizer's configuration allows. */
  tokenizerLimit: number | undefined;
  /** One, or as many as there are shards. */
  weights(): Promise<ByteStream[]>;
}

/** tokenizer.json, or else vocab.txt; undefined where there is neither. */
export async function readTokenizer(
  fn: string,
  files: FileSet,
  folder: string,
  modelType: unknown,
  load: LoadTokenizer,
): Promise<Pick<EncoderParts, "tokenizer" | "tokenizerLimit">> {
  const json = await readJson(fn, files, `${folder}tokenizer.json`);
  const source = json ?? (await readText(fn, files, `${folder}vocab.txt`));
  if (source === undefined) return { tokenizer: undefined, tokenizerLimit: undefined };
  const config = (await readJson(fn, files, `${folder}tokenizer_config.json`)) ?? {};
  const argument = json === undefined ? "vocab.txt" : "tokenizer.json";
  const { model_max_length: limit } = config;
  return {
    tokenizer: await load({ fn, argument, source, config, modelType }),
    // A number with thirty digits stands for no limit.
    tokenizerLimit: typeof limit === "number" && limit >= 1 && limit < 2 ** 31 ? limit : undefined,
  };
}

export async function readEncoder(
  fn: string,
  source: ModelFiles,
  open: Open,
  loadTokenizer: LoadTokenizer,
  options: ModelOptions,
): Promise<EncoderParts> {
  const { signal } = optionsObject(fn, "options", options);
  const precision = precisionOf(fn, options);
  signal?.throwIfAborted();
  const files = filesOf(fn, source, open, signal ?? undefined);
  if (files.gguf !== undefined)
    throw refuse.unsupported(
      fn,
      "files",
      files.gguf,
      "config.json and model.safetensors: encoders in GGUF are not read",
    );
  const { folder, files: sentence } = await readSentenceFiles(fn, files);
  const name = `${folder}config.json`;
  const config = await needed(fn, files, name, readJson(fn, files, name));
  const json = configToJson(fn, config);
  // Before the weights, since a bad tokenizer shows sooner than they arrive.
  const words = await readTokenizer(fn, files, folder, config.model_type, loadTokenizer);
  return {
    makings: { fn, json, precision, sentence },
    config: JSON.parse(json) as Json,
    ...words,
    weights: () => openWeights(fn, files, folder),
  };
}

export async function readRoFormer(
  source: RoFormerSource,
  open: Open,
  loadTokenizer: LoadTokenizer,
  progress: LoadProgress,
): Promise<EncoderParts> {
  const fn = "roformer";
  const { config, weights, tokenizer } = optionsObject(fn, "source", source);
  const precision = precisionOf(fn, source);
  optionsObject(fn, "options", progress);
  if (Array.isArray(config)) throw refuse.type(fn, "config", config, "config.json, parsed");
  const json = configToJson(fn, optionsObject(fn, "config", config));
  const copy = JSON.parse(json) as Json;
  const words =
    tokenizer && (await loadTokenizer({ fn, argument: "tokenizer", source: tokenizer, modelType: copy.model_type }));
  return {
    makings: { fn, json, precision, sentence: [] },
    config: copy,
    tokenizer: words || undefined,
    tokenizerLimit: undefined,
    weights: async () => [await streamOf(fn, "weights", weights, open, progress.signal)],
  };
}

const limitIn = (config: Json): number | undefined =>
  // NomicBERT's n_positions is the limit, its max_position_embeddings what it was trained on.
  [config.n_positions, config.max_position_embeddings].find((limit) => typeof limit === "number") as number | undefined;

/** The same facts of a model in this thread and in workers. */
export function encoderFacts({ makings, config, tokenizerLimit }: EncoderParts, native: NativeFacts): EncoderFacts {
  const { model, sentence } = native;
  const asked = sentence.maxTokens ?? tokenizerLimit ?? Number.POSITIVE_INFINITY;
  const possible = model.longest ?? limitIn(config) ?? Number.POSITIVE_INFINITY;
  return {
    config,
    modelType: typeof config.model_type === "string" ? config.model_type : "roformer",
    parameterCount: native.parameterCount,
    dimensions: sentence.dimensions,
    maxTokens: Math.min(asked, possible),
    prompts: sentence.prompts,
    ...(sentence.defaultPrompt !== null && { defaultPrompt: sentence.defaultPrompt }),
    includePrompt: sentence.includePrompt,
    hasModules: makings.sentence.length > 0,
    lowerCase: sentence.lowerCase,
    notes: native.notes,
    ropes: layerRopes(model.ropes),
    tokenTypes: model.tokenTypes,
  };
}
