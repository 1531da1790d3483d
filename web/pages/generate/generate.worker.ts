/// <reference lib="webworker" />
import { type Decoder, hubFiles, load, type ModelFiles } from "ropewalk";
import { type CallContext, type Reply, serve } from "../../worker/rpc.js";
import { CONTEXT, factsOf, look, sessionOf, shippedName } from "./answer.js";
import type { Comparison, GenerateCalls, GenerateModel, RunArguments, Session } from "./calls.js";
import { Shelf, type Work } from "./held.js";
import { lastOperation, writeLog } from "./log.js";
import { lastComparison } from "./replay.js";

let model: Decoder | undefined;
const shelf = new Shelf();
let comparison: { key: string; found: Comparison | undefined } | undefined;

/** All of them are on their way while the library loads. */
function shippedFiles(folder: string, signal: AbortSignal): ModelFiles {
  const names = ["config.json", "model.safetensors", "tokenizer.json"];
  const requested = new Map(names.map((name) => [name, fetch(folder + name, { signal })]));
  // The reader of a file hears of its failure; one that nobody reads may fail unheard.
  for (const each of requested.values()) each.catch(() => {});
  return (name) => requested.get(name);
}

/** A name for the chosen model: that of its file of weights, or of its folder. */
function nameOf(files: readonly File[]): string {
  const gguf = files.find(({ name }) => name.toLowerCase().endsWith(".gguf"));
  return gguf?.name ?? (files[0]?.webkitRelativePath.split("/")[0] || "your decoder");
}

async function open(
  from: GenerateCalls["open"]["args"],
  { signal, progress }: CallContext,
): Promise<Reply<GenerateModel>> {
  const files =
    "shipped" in from
      ? shippedFiles(from.shipped, signal)
      : "files" in from
        ? from.files
        : hubFiles(from.repository, { cache: true });
  const ropewalk = await load();
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
  const shipped = "shipped" in from;
  const name = shipped ? shippedName : "files" in from ? nameOf(from.files) : from.repository;
  return { result: factsOf(opened, name, shipped) };
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
  const key = `${temperature} ${seed} ${writeLog(log.slice(0, lastOperation(log) + 1))}\n${prompt}`;
  const compared = async () => {
    if (comparison?.key !== key)
      comparison = { key, found: await lastComparison(work, prompt, log, { temperature, seed }) };
    return comparison.found;
  };
  return { result: await sessionOf(work, { prompt, log }, progress, compared) };
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

serve<GenerateCalls>(self as unknown as DedicatedWorkerGlobalScope, {
  open: inTurn(open),
  run: inTurn(run),
  look: inTurn(async (args) => ({ result: look(model!, args) })),
});
