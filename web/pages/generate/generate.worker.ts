/// <reference lib="webworker" />
import { type Decoder, load } from "ropewalk";
import { filesOf } from "../../model/files.js";
import type { Source } from "../../model/source.js";
import { type CallContext, type Reply, serve } from "../../worker/rpc.js";
import { CONTEXT, factsOf, look, sessionOf, shippedName } from "./answer.js";
import type { Comparison, GenerateCalls, GenerateModel, RunArguments, Session } from "./calls.js";
import { Shelf, type Work } from "./held.js";
import { lastOperation, writeLog } from "./log.js";
import { lastComparison } from "./replay.js";

let model: Decoder | undefined;
const shelf = new Shelf();
let comparison: { key: string; found: Comparison | undefined } | undefined;

async function open(from: Source, { signal, progress }: CallContext): Promise<Reply<GenerateModel>> {
  const files = filesOf(from, ["config.json", "model.safetensors", "tokenizer.json"], signal);
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
  return { result: factsOf(opened, shippedName, "shipped" in from) };
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
