/// <reference lib="webworker" />
import { type Encoder, load } from "ropewalk";
import { type CallContext, type Reply, serve } from "../worker/rpc.js";
import { type Get, getterOf } from "./files.js";
import { vocabularyOf } from "./guesses.js";
import type { ModelCalls, ModelFacts, ModelRun } from "./model-calls.js";
import { numberIn, runOf } from "./run.js";

const shippedFiles = ["config.json", "model.safetensors", "tokenizer.json"];
let model: Encoder | undefined;
/** Its words by their ids; undefined where it has no tokenizer and takes ids. */
let vocabulary: readonly string[] | undefined;

async function textOf(get: Get, name: string): Promise<string | undefined> {
  const file = await get(name);
  if (file instanceof Response && !file.ok) throw new Error(`${name}: ${file.url} answered ${file.status}`);
  return file?.text();
}

async function jsonOf(get: Get, name: string): Promise<object | undefined> {
  const source = await textOf(get, name);
  if (source === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(source);
    if (typeof value === "object" && value !== null) return value;
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : "is not JSON"}`);
  }
  throw new Error(`${name}: holds ${source.trim().slice(0, 40)}; allowed: a JSON object`);
}

async function open(
  { rotation, ...source }: ModelCalls["open"]["args"],
  { signal, progress }: CallContext,
): Promise<Reply<ModelFacts>> {
  const started = performance.now();
  const get = getterOf(source, shippedFiles, signal);
  const [ropewalk, config, tokenizer] = await Promise.all([
    load(),
    jsonOf(get, "config.json"),
    jsonOf(get, "tokenizer.json").then(async (found) => found ?? textOf(get, "vocab.txt")),
  ]);
  const read: Readonly<Record<string, object | undefined>> = {
    "config.json": rotation ? config : { ...config, position_encoding: "none" },
    "tokenizer.json": typeof tokenizer === "object" ? tokenizer : undefined,
    "vocab.txt": typeof tokenizer === "string" ? new Blob([tokenizer]) : undefined,
  };
  let bytes = 0;
  const opened = await ropewalk.encoder((name) => (name in read ? read[name] : get(name)), {
    signal,
    onProgress(loaded, total) {
      bytes = loaded;
      progress(loaded, total);
    },
  });
  const { modelType } = opened;
  if (signal.aborted || modelType !== "roformer") {
    opened.dispose();
    signal.throwIfAborted();
    throw new Error(`This model is of the type “${modelType}”; allowed: “roformer”.`);
  }
  model?.dispose();
  model = opened;
  vocabulary = tokenizer === undefined ? undefined : vocabularyOf(tokenizer);
  return {
    result: {
      name: "The shipped RoFormer",
      shipped: "shipped" in source,
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
