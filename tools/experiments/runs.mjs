// Drives ropewalk_experiments over the runs of a plan: what is finished is not run again, what is stopped goes on.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chooseRate } from "./choose.mjs";
import { keyOf } from "./keys.mjs";
import { settingsOf } from "./plan.mjs";

function runOf(panel, arm, rate, seed) {
  const settings = settingsOf(panel, arm, rate, seed);
  const key = keyOf(panel, arm, settings);
  return {
    key,
    line: JSON.stringify({ key, ...settings }),
    steps: settings.steps,
    work: settings.steps * settings.batch * settings.length,
  };
}

/** The runs that choose the rate of an arm; none where another arm, or the same one in another panel, chooses. */
export function gridRuns(plan, panel, arm) {
  if (arm.rateOf || panel.ratesFrom) return [];
  return plan.rates.map((rate) => ({
    rate,
    runs: (panel.gridSeeds ?? plan.gridSeeds).map((seed) => runOf(panel, arm, rate, seed)),
  }));
}

export const seedRuns = (plan, panel, arm, rate) => plan.seeds.map((seed) => runOf(panel, arm, rate, seed));

export class Store {
  constructor(folder) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
  }
  path(run) {
    return join(this.folder, `${run.key}.json`);
  }
  has(run) {
    return existsSync(this.path(run));
  }
  read(run) {
    return JSON.parse(readFileSync(this.path(run), "utf8"));
  }
}

/** The chosen rate of every arm of a panel, by arm; their grids must have run. */
export function ratesOf(plan, panel, store) {
  if (panel.ratesFrom) {
    const panels = plan.experiments.flatMap((experiment) => experiment.panels);
    return ratesOf(
      plan,
      panels.find(({ id }) => id === panel.ratesFrom),
      store,
    );
  }
  const chosen = new Map();
  for (const arm of panel.arms) {
    if (arm.rateOf) continue;
    const grid = gridRuns(plan, panel, arm).map(({ rate, runs }) => ({
      rate,
      results: runs.map((r) => store.read(r)),
    }));
    chosen.set(arm.id, chooseRate(grid, settingsOf(panel, arm, plan.rates[0], 0).steps));
  }
  for (const arm of panel.arms) if (arm.rateOf) chosen.set(arm.id, chosen.get(arm.rateOf));
  return chosen;
}

/** Runs those that are not there yet; `progress` is told of work done, in tokens. */
function train(program, runs, store, threads, progress) {
  const waiting = runs.filter((run) => !store.has(run));
  for (const run of runs) if (!waiting.includes(run)) progress.skip(run);
  if (waiting.length === 0) return Promise.resolve();
  const plan = join(store.folder, "plan.jsonl");
  writeFileSync(plan, `${waiting.map((run) => run.line).join("\n")}\n`);
  const byKey = new Map(waiting.map((run) => [run.key, run]));
  return new Promise((resolve, reject) => {
    const child = spawn(program, ["runs", plan, store.folder, String(threads)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const stop = () => child.kill("SIGTERM");
    process.once("SIGINT", stop);
    process.once("SIGTERM", stop);
    createInterface({ input: child.stdout }).on("line", (line) => {
      const [what, key, steps] = line.split(" ");
      const run = byKey.get(key);
      if (what === "at") progress.at(run, Number(steps));
      else progress.done(run);
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      process.off("SIGINT", stop);
      process.off("SIGTERM", stop);
      if (code === 0) resolve();
      else if (signal) reject(new Stopped());
      else reject(new Error(`ropewalk_experiments ended with ${code}`));
    });
  });
}

/** The person at the keyboard wanted it. */
export class Stopped extends Error {}

/** All runs of the experiments of a plan: grids first, since they say which rate the rest has. */
export async function runAll(program, plan, store, threads, makeProgress) {
  const panels = plan.experiments.flatMap((experiment) => experiment.panels);
  const grids = (panel) => panel.arms.flatMap((arm) => gridRuns(plan, panel, arm)).flatMap(({ runs }) => runs);
  // How much there is does not depend on the rates.
  const someRate = plan.rates[0];
  const all = panels.flatMap((panel) => [
    ...grids(panel),
    ...panel.arms.flatMap((arm) => seedRuns(plan, panel, arm, someRate)),
  ]);
  const progress = makeProgress(
    all.length,
    all.reduce((sum, run) => sum + run.work, 0),
  );
  for (const experiment of plan.experiments) {
    progress.title(experiment.id);
    await train(program, experiment.panels.flatMap(grids), store, threads, progress);
    const runs = experiment.panels.flatMap((panel) => {
      const rates = ratesOf(plan, panel, store);
      return panel.arms.flatMap((arm) => seedRuns(plan, panel, arm, rates.get(arm.id).rate));
    });
    await train(program, runs, store, threads, progress);
  }
  progress.end();
}
