/// <reference lib="webworker" />
import { type Evaluation, load, type Trainer } from "ropewalk";
import { type Reply, serve } from "../worker/rpc.js";
import { lettersOf, type RunTask } from "./letters.js";
import { valuesEndingIn } from "./tensors.js";
import type { Begun, Fields, Point, RunSpec, TrainCalls, Weights } from "./train-calls.js";

interface Run {
  readonly spec: RunSpec;
  readonly trainer: Trainer;
  readonly task: RunTask;
}
const runs = new Map<string, Run>();

function find(name: string): Run {
  const run = runs.get(name);
  if (!run) throw new Error(`There is no run ${name}.`);
  return run;
}

async function begin(spec: RunSpec): Promise<Reply<Begun>> {
  await end({ run: spec.run });
  const ropewalk = await load();
  const { config, seed, optimizer } = spec;
  const { name, ...others } = spec.task;
  const task = name === "letters" ? await lettersOf(ropewalk, others.seed) : await ropewalk.task({ name, ...others });
  const objective = config.is_decoder ? "causal-language-model" : "masked-language-model";
  const wanted = { vocab_size: task.vocabSize, ...config };
  const trainer = await ropewalk.trainer({ config: wanted, seed, optimizer, objective });
  runs.set(spec.run, { spec, trainer, task });
  const { symbols, chanceAccuracy, description } = task;
  return { result: { parameters: trainer.parameterCount, symbols, chance: chanceAccuracy, description } };
}

/** Only an encoding that learns its field has any. */
function fieldsOf({ trainer, spec }: Run): Fields | undefined {
  if (spec.config.position_encoding !== "rope-receptive-field") return undefined;
  const file = trainer.save();
  return { alpha: valuesEndingIn(file, "rotary_alpha"), rho: valuesEndingIn(file, "rotary_rho") };
}

async function advance(args: { run: string; steps: number; rows: number }): Promise<Reply<Point>> {
  const run = find(args.run);
  const { trainer, task } = run;
  const { batch, sequence } = run.spec;
  let sum = 0;
  for (let i = 0; i < args.steps; i++) sum += trainer.train(task.batch({ index: trainer.step, batch, sequence })).loss;
  const evaluate = (length: number) =>
    trainer.evaluate(task.batch({ split: "validation", batch: args.rows, sequence: length }));
  const [once, twice] = [evaluate(sequence), evaluate(2 * sequence)];
  return { result: { step: trainer.step, training: sum / args.steps, once, twice, fields: fieldsOf(run) } };
}

async function best({ run, rows }: { run: string; rows: number }): Promise<Reply<Evaluation>> {
  const { task, spec } = find(run);
  return { result: task.best({ split: "validation", batch: rows, sequence: spec.sequence }) };
}

async function test({ run, change, rows, sequence }: TrainCalls["test"]["args"]): Promise<Reply<Evaluation>> {
  const { trainer, task } = find(run);
  const ropewalk = await load();
  const other = await ropewalk.trainer({ config: { ...trainer.config, ...change }, weights: trainer.save() });
  try {
    return { result: other.evaluate(task.batch({ split: "validation", batch: rows, sequence })) };
  } finally {
    other.dispose();
  }
}

async function weights({ run }: { run: string }): Promise<Reply<Weights>> {
  const { trainer, task, spec } = find(run);
  const file = trainer.save();
  const { inputIds } = task.batch({ split: "validation", batch: 1, sequence: spec.sequence });
  const sample = Array.from(inputIds, (id) => task.symbols[id]!);
  return { result: { weights: file, sample }, transfer: [file.buffer] };
}

async function end({ run }: { run: string }): Promise<Reply<undefined>> {
  const found = runs.get(run);
  found?.trainer.dispose();
  found?.task.dispose();
  runs.delete(run);
  return { result: undefined };
}

serve<TrainCalls>(self as unknown as DedicatedWorkerGlobalScope, { begin, advance, best, test, weights, end });
