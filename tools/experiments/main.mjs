// The comparison of position encodings: trains, summarises, draws, writes. Run by `npm run experiments`.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fromRoot } from "../setup/environment.mjs";
import { say } from "../setup/progress.mjs";
import { about } from "../trust/document.mjs";
import { codeOf } from "../trust/records.mjs";
import { writeJson, writePageRecords } from "./page.mjs";
import { FULL, QUICK } from "./plan.mjs";
import { Progress } from "./progress.mjs";
import { writeReport } from "./report.mjs";
import { runAll, Stopped, Store } from "./runs.mjs";
import { merged, summarise } from "./summary.mjs";
import { measureThroughput } from "./throughput.mjs";

const USAGE = `Usage: npm run experiments -- [options]
  --quick          a small plan, in under two minutes; nothing in docs/ changes
  --only NAMES     of the experiments (${FULL.experiments.map((e) => e.id).join(", ")}), separated by commas: they alone run, and are renewed in the report
  --threads N      runs at a time (default: one per processor)
  --folder PATH    where finished runs and, with --quick, the report go (default: build/experiments)
  --throughput     measures how fast training is, natively and in WebAssembly, and renews that section; for a quiet machine
  --render         writes docs/results.md, its figures and those of the page Train again from docs/results/
`;

function readArguments(args) {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean" },
      only: { type: "string" },
      threads: { type: "string" },
      folder: { type: "string" },
      throughput: { type: "boolean" },
      render: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  const threads = values.threads === undefined ? cpus().length : Number(values.threads);
  if (!Number.isInteger(threads) || threads < 1) throw new Error("--threads must be a whole number of at least 1");
  const only = values.only?.split(",");
  const known = (values.quick ? QUICK : FULL).experiments.map((experiment) => experiment.id);
  for (const name of only ?? []) if (!known.includes(name)) throw new Error(`There is no experiment ${name}`);
  return { ...values, threads, only };
}

/** Where, when, and which program it was. */
function here(kind) {
  const { commit, date, load } = about(kind);
  return { machine: { processor: cpus()[0].model.trim(), processors: cpus().length }, commit, date, load };
}

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

const optionalJson = (path) => (existsSync(path) ? readJson(path) : null);

/** Paths of the published files: `results.md` beside a folder of data and figures. */
function places(root) {
  const data = join(root, "results");
  mkdirSync(data, { recursive: true });
  return { root, results: join(data, "results.json"), throughput: join(data, "throughput.json") };
}

function render(at) {
  const results = readJson(at.results);
  writeReport(at.root, results, optionalJson(at.throughput));
  if (at.pages) writePageRecords(at.pages, results);
  say(`Written: ${join(at.root, "results.md")}`);
}

/** program: path of ropewalk_experiments. Returns the exit code. */
export async function main(program, args) {
  let options;
  try {
    options = readArguments(args);
  } catch (error) {
    process.stderr.write(`${error.message}\n${USAGE}`);
    return 2;
  }
  if (options.help) {
    say(USAGE);
    return 0;
  }
  // Finished runs are those of one code: the report names a commit.
  const kept = () => (options.quick ? "quick" : `full-${codeOf("experiments")}`);
  const folder = options.folder ?? fromRoot("build/experiments", kept());
  const at = options.quick ? places(folder) : { ...places(fromRoot("docs")), pages: fromRoot("web/pages") };
  if (options.throughput) writeJson(at.throughput, await measureThroughput(program, here("throughput")));
  if (options.throughput || options.render) {
    render(at);
    return 0;
  }
  const whole = options.quick ? QUICK : FULL;
  const plan = options.only
    ? { ...whole, experiments: whole.experiments.filter((experiment) => options.only.includes(experiment.id)) }
    : whole;
  const store = new Store(join(folder, "runs"));
  const where = here("experiments");
  try {
    await runAll(program, plan, store, options.threads, () => new Progress());
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    say("\nStopped. What is finished is kept: the same command goes on from there.");
    return 130;
  }
  const fresh = summarise(plan, store, where);
  const published = options.only ? optionalJson(at.results) : null;
  if (options.only && !published) return 0; // a report has them all
  writeJson(at.results, published ? merged(published, fresh) : fresh);
  render(at);
  return 0;
}
