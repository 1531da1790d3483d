/** From the files of a model to what an encoder is made of. */
import causal from "ropewalk:causal";
import { optionsObject } from "../module/errors.js";
import { configToJson } from "../module/options.js";
import type { ByteStream, Open } from "../module/platform.js";
import type { LoadProgress } from "../module/receive.js";
import { type FileSet, filesOf, type ModelFiles } from "./files/model-files.js";
import { type Json, needed, readJson, readText } from "./files/read.js";
import { type NamedBytes, readSentenceFiles } from "./files/sentence-files.js";
import { openWeights } from "./files/weights.js";
import type { GgufEncoder } from "./gguf.js";
import { givesOf, needs } from "./heads/gives.js";
import type { EncoderFacts, Head, PairTemplate } from "./heads/host.js";
import type { StaticModel } from "./heads/static.js";
import type { Form } from "./heads/surface.js";
import { loadGguf } from "./load-gguf.js";
import { loadHeads } from "./load-heads.js";
import type { EncoderSource, NativeFacts } from "./native-encoder.js";
import { flag } from "./options.js";
import { type Precision, precisionOf } from "./precision.js";
import { layerRopes } from "./rope-text.js";
import type { LoadTokenizer, Tokenizer } from "./text/tokenizer.js";

export interface ModelOptions extends LoadProgress {
  /**
   * Default "float32". With "int8" each row of a matrix becomes whole numbers from -127 to 127 and a scale: faster, in a
   * quarter of the memory, with the same bits on every machine. Answers differ a little from those in float32. A
   * checkpoint that holds weights in 8 bits, as `ropewalk quantize` writes it, is always "int8".
   */
  precision?: Precision | undefined;
}

export interface EncoderOptions extends ModelOptions {
  /**
   * Also loads the code, 3 KB, that finds the offsets of each token in its text, so that `encode` can give it at once. Other
   * methods load it when it is asked for. Default false.
   */
  offsets?: boolean | undefined;
}

/** The parts of an encoder that have been read; its weights are still on their way. */
export interface EncoderParts {
  source: EncoderSource;
  config: Json;
  tokenizer: Tokenizer | undefined;
  /** The longest text in tokens that the tokenizer's configuration allows. */
  tokenizerLimit: number | undefined;
  /** About the files. */
  notes: readonly string[];
  /** One, or as many as there are shards. */
  weights(): Promise<ByteStream[]>;
  /** Modules that make something else than one vector of hidden states. */
  form?: Form;
  /** In place of one vector for a text. */
  head?: Head;
  template?: PairTemplate;
  /** Reads a model without a transformer. */
  readStatic?: (progress: LoadProgress) => Promise<StaticModel>;
}

/** tokenizer.json, or else vocab.txt, which no GGUF file has beside it; undefined where there is neither. */
export async function readTokenizer(
  fn: string,
  files: FileSet,
  folder: string,
  modelType: unknown,
  load: LoadTokenizer,
): Promise<Pick<EncoderParts, "tokenizer" | "tokenizerLimit"> & { tokenizerConfig: Json }> {
  const json = await readJson(fn, files, `${folder}tokenizer.json`);
  const source = json ?? (files.gguf === undefined ? await readText(fn, files, `${folder}vocab.txt`) : undefined);
  if (source === undefined) return { tokenizer: undefined, tokenizerLimit: undefined, tokenizerConfig: {} };
  const config = (await readJson(fn, files, `${folder}tokenizer_config.json`)) ?? {};
  const argument = json === undefined ? "vocab.txt" : "tokenizer.json";
  const { model_max_length: limit } = config;
  return {
    tokenizer: await load({ fn, argument, source, config, modelType }),
    tokenizerConfig: config,
    // A number with thirty digits stands for no limit.
    tokenizerLimit: typeof limit === "number" && limit >= 1 && limit < 2 ** 31 ? limit : undefined,
  };
}

/** The files of an encoder besides its tokenizer, wherever they are. */
export interface EncoderFiles {
  /** The folder of the tokenizer. */
  folder: string;
  /** config.json as C++ reads it. */
  json: string;
  /** As it was given, where that differs. */
  config?: Json;
  sentence: NamedBytes[];
  weights(): Promise<ByteStream[]>;
  /** Those of a GGUF file. */
  gguf?: GgufEncoder;
  form?: Form;
}

export async function readEncoderFiles(fn: string, files: FileSet): Promise<EncoderFiles> {
  if (files.gguf !== undefined) {
    const [stream] = await openWeights(fn, files, "");
    const gguf = await (await loadGguf()).readGgufEncoder(fn, stream!);
    const { config, sentence, weights } = gguf;
    return { folder: "", json: JSON.stringify(config), sentence, weights: async () => [weights], gguf };
  }
  const { folder, files: sentence, form, relevance } = await readSentenceFiles(fn, files);
  const name = `${folder}config.json`;
  const config = await readJson(fn, files, name);
  const weights = () => openWeights(fn, files, folder);
  // Model2Vec wrote no modules.json at first.
  const isStatic = form?.kind === "static" || config?.model_type === "model2vec";
  if (isStatic)
    return {
      folder,
      json: JSON.stringify(config ?? {}),
      sentence,
      weights,
      form: form ?? { kind: "static", modules: [] },
    };
  const given = await needed(fn, files, name, Promise.resolve(config));
  if (causal.includes(given.model_type as string)) (await loadHeads()).checkKind(fn, given, sentence, form);
  const read = { folder, sentence, weights, ...(form && { form }) };
  const score = form?.kind === "score" ? await (await loadHeads()).readScore(fn, files, form, sentence) : relevance;
  if (score === undefined) return { ...read, json: configToJson(fn, given) };
  const own = given.sentence_transformers;
  return {
    ...read,
    config: given,
    json: configToJson(fn, { ...given, sentence_transformers: { ...(own as object | undefined), ...score } }),
  };
}

/** The tokenizer in a GGUF file, or words that say why there is none: the model takes ids all the same. */
export async function tokenizerIn(fn: string, metadata: Json, load: LoadTokenizer): Promise<Tokenizer | string> {
  const words = (await loadGguf()).tokenizerOfGguf(metadata);
  if (typeof words === "string") return words;
  try {
    return await load({ fn, argument: "tokenizer.ggml.tokens", ...words });
  } catch (error) {
    return `with a vocabulary that cannot be read (${(error as Error).message})`;
  }
}

export async function readEncoder(
  fn: string,
  source: ModelFiles,
  open: Open,
  loadTokenizer: LoadTokenizer,
  options: EncoderOptions,
): Promise<EncoderParts> {
  const { signal, offsets = false } = optionsObject(fn, "options", options);
  flag(fn, "offsets", offsets);
  const precision = precisionOf(fn, options);
  signal?.throwIfAborted();
  const files = await filesOf(fn, source, open, signal ?? undefined);
  const { folder, json, sentence, weights, gguf, form, config: given } = await readEncoderFiles(fn, files);
  const config = given ?? (JSON.parse(json) as Json);
  // Before the weights, since a bad tokenizer shows sooner than they arrive.
  const words = await readTokenizer(fn, files, folder, config.model_type, loadTokenizer);
  const own = gguf && !words.tokenizer ? await tokenizerIn(fn, gguf.metadata, loadTokenizer) : words.tokenizer;
  const why = typeof own === "string" ? [`The file comes ${own}: the model takes ids.`] : [];
  const tokenizer = typeof own === "string" ? undefined : own;
  if (offsets) await tokenizer?.loadOffsets();
  const heads = form && (await loadHeads());
  const readStatic = (progress: LoadProgress) =>
    heads!.readStatic(fn, files, form!, config, tokenizer, weights, progress);
  return {
    source: { fn, json, precision, sentence },
    config,
    tokenizer,
    tokenizerLimit: words.tokenizerLimit,
    notes: [...(files.note === undefined ? [] : [files.note]), ...why],
    weights,
    ...(form && { form }),
    ...(form?.kind === "static" && { readStatic }),
    ...(heads && (await heads.readForm(fn, files, form, folder, sentence, words.tokenizerConfig))),
  };
}

const limitIn = (config: Json): number | undefined =>
  // NomicBERT's n_positions is the limit, its max_position_embeddings what it was trained on.
  [config.n_positions, config.max_position_embeddings].find((limit) => typeof limit === "number") as number | undefined;

/** The same facts of a model in this thread and in workers. */
export function encoderFacts(
  { source, config, tokenizerLimit, notes, head, template, form }: EncoderParts,
  native: NativeFacts,
): EncoderFacts {
  const { model, sentence } = native;
  const hasModules = source.sentence.length > 0;
  const gives = givesOf(model.heads, config, hasModules, form?.kind);
  if (head?.kind === "sparse") needs(source.fn, gives, "words");
  const asked = sentence.maxTokens ?? tokenizerLimit ?? Number.POSITIVE_INFINITY;
  const possible = model.longest ?? limitIn(config) ?? Number.POSITIVE_INFINITY;
  return {
    config,
    modelType: typeof config.model_type === "string" ? config.model_type : "roformer",
    parameterCount: native.parameterCount,
    dimensions: head?.dimensions ?? (head?.kind === "sparse" ? (config.vocab_size as number) : sentence.dimensions),
    maxTokens: Math.min(asked, possible),
    prompts: sentence.prompts,
    ...(sentence.defaultPrompt !== null && { defaultPrompt: sentence.defaultPrompt }),
    includePrompt: sentence.includePrompt,
    hasModules,
    lowerCase: sentence.lowerCase,
    notes: [...notes, ...native.notes],
    ropes: layerRopes(model.ropes, model.causal),
    vocabulary: native.vocabulary,
    tokenTypes: model.tokenTypes,
    gives,
    ...(head && { head }),
    ...(template && { template }),
  };
}
