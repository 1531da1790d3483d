/// <reference lib="webworker" />
import { type Decoder, hubFiles, load, type ModelFiles } from "ropewalk";
import { type CallContext, type Reply, serve } from "../../worker/rpc.js";
import type { Comparison, GenerateCalls, GenerateModel, RunArguments, Session } from "./calls.js";
import { Shelf, textOf, type Work } from "./held.js";
import { lastOperation, writeLog } from "./log.js";
import { largest, probabilities } from "./numbers.js";
import { lastComparison, replay } from "./replay.js";
import { ropeFacts } from "./rules.js";

/** Tokens that a cache may hold: twice what the model of this site was trained on. */
const CONTEXT = 512;
/** Next tokens that are shown. */
const SHOWN = 8;

let model: Decoder | undefined;
const shelf = new Shelf();
let comparison: { key: string; found: Comparison | undefined } | undefined;

const shippedFiles = (folder: string): ModelFiles =>
  Object.fromEntries(["config.json", "model.safetensors", "tokenizer.json"].map((name) => [name, folder + name]));

/** A name for the chosen model: that of its file of weights, or of its folder. */
function nameOf(files: readonly File[]): string {
  const gguf = files.find(({ name }) => name.toLowerCase().endsWith(".gguf"));
  return gguf?.name ?? (files[0]?.webkitRelativePath.split("/")[0] || "your decoder");
}

async function open(
  from: GenerateCalls["open"]["args"],
  { signal, progress }: CallContext,
): Promise<Reply<GenerateModel>> {
  const ropewalk = await load();
  const files =
    "shipped" in from
      ? shippedFiles(from.shipped)
      : "files" in from
        ? from.files
        : hubFiles(from.repository, { cache: true });
  // In 8 bits every machine writes the same text.
  const opened = await ropewalk.decoder(files, { precision: "int8", context: CONTEXT, signal, onProgress: progress });
  try {
    opened.encode("a");
  } catch (error) {
    opened.dispose();
    throw error;
  }
  shelf.clear();
  comparison = undefined;
  model?.dispose();
  model = opened;
  const { config, modelType, parameterCount: parameters, context, notes } = opened;
  const name = "shipped" in from ? "The shipped decoder" : "files" in from ? nameOf(from.files) : from.repository;
  const rope = ropeFacts(config);
  const layers = Math.max(...opened.ropes.flatMap((each) => each.layers)) + 1;
  const shipped = "shipped" in from;
  return { result: { name, modelType, parameters, layers, context, rope, notes, shipped } };
}

async function run(
  { prompt, log, temperature, seed }: RunArguments,
  { signal, progress }: CallContext,
): Promise<Reply<Session>> {
  if (!model) throw new Error("No model is loaded.");
  let rested = performance.now();
  const breathe = async () => {
    if (performance.now() - rested < 30) return;
    await new Promise((resolve) => setTimeout(resolve));
    rested = performance.now();
    signal.throwIfAborted();
  };
  const work: Work = { model, shelf, signal, breathe };
  const held = await replay(work, prompt, log, progress);
  const to = lastOperation(log) + 1;
  const key = `${temperature} ${seed} ${writeLog(log.slice(0, to))}\n${prompt}`;
  if (comparison?.key !== key)
    comparison = { key, found: await lastComparison(work, prompt, log, { temperature, seed }) };
  const chances = probabilities(held.logits);
  const next = largest(chances, SHOWN).map((id) => ({
    id,
    text: textOf(work.model, id),
    probability: chances[id]!,
  }));
  const { tokens, cache } = held;
  const chunks = log.flatMap((entry) =>
    entry.op === "append" ? [work.model.encode(entry.text, { addSpecialTokens: false })] : [],
  );
  const result = {
    tokens,
    next,
    prompt: model.encode(prompt),
    chunks,
    bytes: cache.bytes,
    explain: cache.explain(),
    comparison: comparison.found,
  };
  return { result };
}

let last: Promise<unknown> = Promise.resolve();
/** One call after the other: each works on the caches that the one before left. */
function inTurn<A, R>(work: (args: A, context: CallContext) => Promise<R>): typeof work {
  return (args, context) => {
    const mine = last.then(() => {
      context.signal.throwIfAborted();
      return work(args, context);
    });
    last = mine.catch(() => {});
    return mine;
  };
}

serve<GenerateCalls>(self as unknown as DedicatedWorkerGlobalScope, { open: inTurn(open), run: inTurn(run) });
