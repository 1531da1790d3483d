/// <reference lib="webworker" />
import { type Encoder, load, type ModelFiles } from "ropewalk";
import { type CallContext, type Reply, serve } from "../worker/rpc.js";
import { vocabularyOf } from "./guesses.js";
import type { CheckpointSource, ModelCalls, ModelFacts, ModelRun } from "./model-calls.js";
import { numberIn, runOf } from "./run.js";

let model: Encoder | undefined;
/** Its words by their ids; undefined where it has no tokenizer and takes ids. */
let vocabulary: readonly string[] | undefined;

async function textOf(from: Blob | string, name: string, signal: AbortSignal): Promise<string> {
  if (from instanceof Blob) return from.text();
  const response = await fetch(from, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new Error(
      `${name}: ${from} could not be reached (${error instanceof Error ? error.message : String(error)})`,
    );
  });
  if (!response.ok) throw new Error(`${name}: ${from} answered ${response.status}`);
  return response.text();
}

function parseJson(source: string, name: string): object {
  try {
    const value: unknown = JSON.parse(source);
    if (typeof value === "object" && value !== null) return value;
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : "is not JSON"}`);
  }
  throw new Error(`${name}: holds ${source.trim().slice(0, 40)}; allowed: a JSON object`);
}

async function tokenizerOf({ from, kind }: NonNullable<CheckpointSource["tokenizer"]>, signal: AbortSignal) {
  const text = await textOf(from, kind, signal);
  return kind === "vocab.txt" ? text : parseJson(text, kind);
}

/** Weights at an address are on their way while the library loads. */
const requested = (weights: Blob | string, signal: AbortSignal) =>
  weights instanceof Blob ? weights : fetch(weights, { signal });

/** The checkpoint as the package finds it: each file by its name. */
function filesOf(
  { rotation, tokenizer: given }: CheckpointSource,
  config: object,
  tokenizer: object | string | undefined,
  weights: Blob | Response,
): ModelFiles {
  const files = new Map<string, Blob | Response | object>([
    ["config.json", rotation ? config : { ...config, position_encoding: "none" }],
    ["model.safetensors", weights],
  ]);
  if (given && tokenizer !== undefined)
    files.set(given.kind, typeof tokenizer === "string" ? new Blob([tokenizer]) : tokenizer);
  return files;
}

async function open(source: CheckpointSource, context: CallContext): Promise<Reply<ModelFacts>> {
  const started = performance.now();
  const { signal, progress } = context;
  const [ropewalk, config, tokenizer, weights] = await Promise.all([
    load(),
    textOf(source.config, "config.json", signal).then((text) => parseJson(text, "config.json")),
    source.tokenizer && tokenizerOf(source.tokenizer, signal),
    requested(source.weights, signal),
  ]);
  let bytes = source.weights instanceof Blob ? source.weights.size : 0;
  const opened = await ropewalk.encoder(filesOf(source, config, tokenizer, weights), {
    signal,
    onProgress(loaded, total) {
      bytes = Math.max(bytes, loaded);
      progress(loaded, total);
    },
  });
  if (signal.aborted) {
    opened.dispose();
    signal.throwIfAborted();
  }
  model?.dispose();
  model = opened;
  vocabulary = tokenizer === undefined ? undefined : vocabularyOf(tokenizer);
  const named = typeof opened.config._name_or_path === "string" ? opened.config._name_or_path : "";
  return {
    result: {
      name: source.config instanceof Blob && named ? named : source.name,
      parameters: opened.parameterCount,
      layers: numberIn(opened.config, "num_hidden_layers"),
      heads: numberIn(opened.config, "num_attention_heads"),
      hidden: numberIn(opened.config, "hidden_size"),
      vocabulary: numberIn(opened.config, "vocab_size"),
      words: vocabulary?.length,
      bytes: bytes || undefined,
      variant: ropewalk.variant,
      version: ropewalk.version,
      milliseconds: performance.now() - started,
    },
  };
}

async function run({ text, topK }: { text: string; topK: number }): Promise<Reply<ModelRun>> {
  if (!model) throw new Error("No model is loaded.");
  const result = await runOf(model, vocabulary, text, topK);
  const { attentions, scores, rotated, plain } = result;
  const large = [attentions, scores, ...Object.values(rotated), ...Object.values(plain)].flat();
  return { result, transfer: [...new Set(large.map((values) => values.buffer as ArrayBuffer))] };
}

serve<ModelCalls>(self as unknown as DedicatedWorkerGlobalScope, { open, run });
