/** ropewalk fine-tune */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { load } from "../entries/node.js";
import { type Arguments, refusal, textOptions, UsageError } from "./arguments.js";
import { type Command, Interrupted, table } from "./command.js";
import { readConfig } from "./config-file.js";
import { about, readText } from "./files.js";
import { classifierConfig, writeFolder } from "./glue/checkpoint-out.js";
import { examplesOf, labelsIn } from "./glue/examples.js";
import { fineTune as run } from "./glue/fine-tuning.js";
import { type Columns, METRIC_CHOICES, type MetricChoice, TASKS, type Task, type TaskName } from "./glue/tasks.js";
import { parseTsv } from "./glue/tsv.js";
import { checkFolder } from "./output.js";
import { ProgressLine } from "./progress.js";

const list = (names: object): string => Object.keys(names).join(", ");
const namesOf = <T extends string>(names: Record<T, unknown>): T[] => Object.keys(names) as T[];

/** "label=Quality,text=#1 String,pair=#2 String" */
function columnsOf(text: string): Columns {
  const allowed = "label=NAME,text=NAME or label=NAME,text=NAME,pair=NAME";
  const found = new Map(
    text.split(",").map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)]),
  );
  const [label, first, pair] = ["label", "text", "pair"].map((name) => found.get(name));
  const known = [label, first, pair].filter((name) => name !== undefined).length;
  if (!label || !first || pair === "" || found.size !== known || text.split(",").length !== known)
    throw refusal("--columns", text, allowed);
  return { label, text: first, ...(pair !== undefined && { pair }) };
}

function taskOf(args: Arguments): Task {
  const name = args.choice("task", namesOf<TaskName>(TASKS));
  const columns = args.text("columns");
  const metric = args.choice("metric", namesOf<MetricChoice>(METRIC_CHOICES));
  if (name === undefined && columns === undefined) throw new UsageError("--task or --columns is missing");
  if (name !== undefined) {
    if (columns !== undefined)
      throw new UsageError("--columns and --task both say which columns; allowed: one of them");
    if (metric !== undefined) throw new UsageError("--metric and --task both say which metric; allowed: one of them");
    return TASKS[name];
  }
  return { columns: columnsOf(columns!), metric: metric ?? "accuracy" };
}

function required(args: Arguments, name: string): string {
  const text = args.text(name);
  if (text === undefined) throw new UsageError(`--${name} is missing`);
  return text;
}

function learningRateOf(args: Arguments): number {
  const rate = args.number("learning-rate") ?? 5e-5;
  if (rate > 0) return rate;
  throw refusal("--learning-rate", rate, "a number above 0");
}

export const fineTune: Command = {
  words: [],
  summary: "a classifier from a checkpoint and GLUE's TSV files",
  help: `\
  --model DIR         a folder with config.json, model.safetensors and tokenizer.json or vocab.txt
  --train FILE        examples to learn from
  --validation FILE   examples to measure on: the weights of the epoch that is best there are kept
  --out DIR           where the fine-tuned checkpoint goes: a folder that is not there yet, or empty
  --task NAME         ${list(TASKS)}
  --columns LIST      instead of --task: label=NAME,text=NAME,pair=NAME by the names in the header
  --metric NAME       with --columns: ${list(METRIC_CHOICES)}; accuracy unless given
  --epochs N          3 unless given
  --batch N           32 unless given
  --learning-rate X   5e-5 unless given; small models want more, 1e-3 or so
  --max-length N      tokens, the longer text being cut; 128 unless given
  --seed N            of the new head, of dropout and of the order; 0 unless given`,
  options: textOptions("model train validation out task columns metric epochs batch learning-rate max-length seed"),
  async run(args) {
    const task = taskOf(args);
    const [folder, trainFile, validationFile, out] = ["model", "train", "validation", "out"].map((name) =>
      required(args, name),
    ) as [string, string, string, string];
    const settings = {
      epochs: args.count("epochs") ?? 3,
      batch: args.count("batch") ?? 32,
      learningRate: learningRateOf(args),
      seed: args.whole("seed") ?? 0,
    };
    const maxLength = args.count("max-length") ?? 128;
    if (maxLength < 8) throw refusal("--max-length", maxLength, "at least 8");
    await checkFolder(out);
    const given = await readConfig(folder);
    const rowsOf = async (file: string) => parseTsv(file, await readText(file), task.columns);
    const [trainRows, validationRows] = [await rowsOf(trainFile), await rowsOf(validationFile)];

    const metrics = METRIC_CHOICES[task.metric];
    const regression = task.metric === "pearson-spearman";
    const named = regression
      ? undefined
      : (task.labels ?? Object.fromEntries(labelsIn(trainFile, trainRows).map((l) => [l, l])));
    const numbers = named && new Map(Object.keys(named).map((label, number) => [label, number]));
    const config = classifierConfig(given, named && Object.values(named));
    const interrupted = new AbortController();
    const stop = () => interrupted.abort(new Interrupted("interrupted; nothing was written"));
    process.once("SIGINT", stop);
    const line = new ProgressLine();
    try {
      const ropewalk = await load();
      using model = await ropewalk.encoder(folder);
      const file = join(folder, "model.safetensors");
      const weights = new Uint8Array(await about(file, readFile(file)));
      const examples = (file: string, rows: ReturnType<typeof parseTsv>) =>
        examplesOf(file, rows, numbers, model, maxLength);
      const train = examples(trainFile, trainRows);
      const validation = examples(validationFile, validationRows);
      const tuned = await run(
        ropewalk,
        { config, weights, train, validation, metrics, regression, ...settings },
        ({ epoch, step, steps, loss }) =>
          line.write(
            `epoch ${epoch} of ${settings.epochs}, step ${step} of ${steps}, loss ${loss.toFixed(3)}`,
            step,
            steps,
          ),
        interrupted.signal,
      );
      line.clear();
      await writeFolder(folder, out, config, tuned.weights);
      const { epochs, best, notes } = tuned;
      const seconds = Number(line.seconds.toFixed(1));
      const rows = epochs.map(({ epoch, loss, metrics: values }) => [
        epoch,
        loss === undefined ? "-" : loss.toFixed(4),
        ...metrics.map((name) => values[name]!.toFixed(4)),
      ]);
      return {
        text: `${table([["epoch", "loss", ...metrics], ...rows])}
${out} holds epoch ${best.epoch}; ${train.length} examples, ${validation.length} to validate; ${seconds} s
${notes.map((note) => `note: ${note}\n`).join("")}`,
        json: { epochs, best, seconds, train: train.length, validation: validation.length, notes, out },
      };
    } finally {
      process.off("SIGINT", stop);
      line.clear();
    }
  },
};
