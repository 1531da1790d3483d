/**
 * Static embeddings: a row of a table for each token, and their mean. Model2Vec leaves unknown words out and may weigh
 * tokens; StaticEmbedding of sentence-transformers takes every token.
 */
import type { ByteStream } from "../../module/platform.js";
import type { LoadProgress } from "../../module/receive.js";
import type { Floats, ReadOutputs } from "../encoder-output.js";
import type { FileSet } from "../files/model-files.js";
import { type Json, readJson } from "../files/read.js";
import type { ModelSize } from "../files/stream-weights.js";
import { cancelUnread } from "../files/weights.js";
import { refuse } from "../refuse.js";
import type { Framed } from "../text/encoded.js";
import type { Tokenizer } from "../text/tokenizer.js";
import type { EncoderFacts } from "./host.js";
import type { Form } from "./surface.js";
import { readTensors, type Table, tensorNamed } from "./tensors.js";
import { toUnit } from "./unit.js";

/** A model without a transformer: its facts, and vectors of token ids. */
export interface StaticModel {
  facts: EncoderFacts;
  vectorOf(fn: string, ids: readonly number[], outputs: ReadOutputs): Floats;
}

type OpenWeights = () => Promise<ByteStream[]>;

const WEIGHTS = "model.safetensors";
const PROMPTS = "config_sentence_transformers.json";
const TYPES = ["F64", "F32", "F16", "BF16", "I64", "I32"];

/** The largest file of a table: it is in JavaScript's memory as a whole. */
const MOST_BYTES = 2 ** 31;

async function wholeOf(fn: string, open: OpenWeights, { onProgress, signal }: LoadProgress): Promise<Uint8Array> {
  const [stream, ...others] = await open();
  for (const each of others) cancelUnread(each);
  if (others.length > 0) throw refuse.unsupported(fn, WEIGHTS, "several shards", "one file");
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let loaded = 0;
  for await (const chunk of stream!.chunks) {
    signal?.throwIfAborted();
    loaded += chunk.length;
    if (loaded > MOST_BYTES)
      throw refuse.range(fn, WEIGHTS, `more than ${MOST_BYTES} bytes`, `up to ${MOST_BYTES} bytes`);
    onProgress?.(loaded, stream!.size);
    parts.push(new Uint8Array(chunk));
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

interface Rows {
  table: Table;
  /** The row of a token. */
  mapping: Table | undefined;
  /** The factor of a token. */
  factors: Table | undefined;
  isModel2Vec: boolean;
}

const numberAt = (table: Table, at: number): number => {
  const one = new Float32Array(1);
  table.readRow(at, one);
  return one[0]!;
};

function rowsOf(fn: string, bytes: Uint8Array): Rows {
  const tensors = readTensors(fn, WEIGHTS, bytes, TYPES);
  const isModel2Vec = tensors.has("embeddings");
  const known = isModel2Vec ? ["embeddings", "mapping", "weights"] : ["embedding.weight"];
  for (const name of tensors.keys())
    if (!known.includes(name)) throw refuse.unsupported(fn, WEIGHTS, name, `the tensors ${known.join(", ")}`);
  const table = tensors.get(known[0]!);
  if (table?.shape.length !== 2) throw refuse.malformed(fn, WEIGHTS, `has no matrix "${known[0]}"`);
  const mapping = tensors.get("mapping");
  const factors = tensors.get("weights");
  const tokens = mapping ?? factors;
  if (tokens !== undefined)
    for (const name of ["mapping", "weights"])
      if (tensors.has(name)) tensorNamed(fn, WEIGHTS, tensors, name, [tokens.shape[0]!]);
  return { table, mapping, factors, isModel2Vec };
}

/** A text without the special tokens around it and, in Model2Vec, without those that stand for unknown words. */
function frameWithout(unknown: number | undefined): (framed: Framed) => Framed {
  return ({ encoded, first, second = first }) => {
    const kept = encoded.inputIds.flatMap((id, at) => {
      const isText = (at >= first[0] && at < first[1]) || (at >= second[0] && at < second[1]);
      return isText && id !== unknown ? [at] : [];
    });
    const of = <T>(values: readonly T[]) => kept.map((at) => values[at]!);
    return {
      encoded: {
        inputIds: of(encoded.inputIds),
        tokenTypeIds: kept.map(() => 0),
        attentionMask: kept.map(() => 1),
        tokens: of(encoded.tokens),
        ...(encoded.offsets && { offsets: of(encoded.offsets) }),
      },
      first: [0, kept.length],
    };
  };
}

const textsIn = (value: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries((value ?? {}) as object).filter(([, text]) => typeof text === "string"));

export async function readStatic(
  fn: string,
  files: FileSet,
  form: Form,
  config: Json,
  tokenizer: Tokenizer | undefined,
  weights: OpenWeights,
  progress: LoadProgress,
): Promise<StaticModel> {
  if (tokenizer === undefined) throw refuse.missing(fn, "tokenizer.json", files.where);
  const { prompts: given, default_prompt_name: name } = (await readJson(fn, files, PROMPTS)) ?? {};
  const prompts = textsIn(given);
  if (name != null && !Object.hasOwn(prompts, name as string))
    throw refuse.malformed(fn, PROMPTS, `has no prompt ${JSON.stringify(name)}, its default`);
  const { table, mapping, factors, isModel2Vec } = rowsOf(fn, await wholeOf(fn, weights, progress));
  const [rows, width] = table.shape as [number, number];
  const hasNormalize = form.modules.some(({ kind }) => kind === "Normalize");
  const unit = isModel2Vec && typeof config.normalize === "boolean" ? config.normalize : hasNormalize;
  const { max_length: longest = 512 } = config;
  const row = new Float32Array(width);
  const vectorOf = (asker: string, ids: readonly number[], { pooling, vector }: ReadOutputs): Floats => {
    if (pooling !== undefined && pooling !== "mean") throw refuse.range(asker, "pooling", pooling, '"mean"');
    const sum = new Float64Array(width);
    for (const id of ids) {
      const at = mapping === undefined ? id : numberAt(mapping, id);
      if (!(at >= 0 && at < rows)) throw refuse.malformed(asker, WEIGHTS, `maps token ${id} to row ${at} of ${rows}`);
      table.readRow(at, row);
      const factor = factors === undefined ? 1 : numberAt(factors, id);
      for (let i = 0; i < width; i++) sum[i] = sum[i]! + factor * row[i]!;
    }
    const mean = sum.map((value) => value / Math.max(1, ids.length));
    const whole = unit && vector.normalize !== false ? toUnit(mean) : mean;
    const cut = vector.dimensions > 0 ? whole.slice(0, vector.dimensions) : whole;
    return Float32Array.from(vector.normalize ? toUnit(cut) : cut);
  };
  return {
    vectorOf,
    facts: {
      config,
      modelType:
        typeof config.model_type === "string" ? config.model_type : isModel2Vec ? "model2vec" : "static-embedding",
      parameterCount: rows * width,
      dimensions: width,
      maxTokens: isModel2Vec && typeof longest === "number" ? longest : Number.POSITIVE_INFINITY,
      prompts,
      ...(name != null && { defaultPrompt: name as string }),
      includePrompt: true,
      hasModules: true,
      lowerCase: false,
      notes: [],
      ropes: [],
      vocabulary: (mapping ?? factors ?? table).shape[0]!,
      tokenTypes: 0,
      gives: ["vectors"],
      frame: frameWithout(isModel2Vec ? tokenizer.unknownId : undefined),
    },
  };
}

/** The table is in JavaScript's memory, and no other is needed. */
export async function staticSize(fn: string, open: OpenWeights, progress: LoadProgress): Promise<ModelSize> {
  const bytes = await wholeOf(fn, open, progress);
  const { table } = rowsOf(fn, bytes);
  const parameters = table.shape[0]! * table.shape[1]!;
  return { parameters, download: bytes.length, memory: { loaded: 0, peak: 0 }, matrices: [] };
}
