// Drives ropewalk_experiments over the runs of a plan: what is finished is not run again, what is stopped goes on.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chooseRate } from "./choose.mjs";
import { keyOf } from "./keys.mjs";
import { RATES, settingsOf } from "./plan.mjs";

/** from: the key of the run whose weights this one begins with, if there is one. */
function runOf(panel, arm, rate, seed, from) {
  const settings = { ...settingsOf(panel, arm, rate, seed), ...(from && { from }) };
  const key = keyOf(panel, arm, settings);
  return {
    key,
    line: JSON.stringify({ from: "", keeps_weights: panel.keepsWeights ?? false, ...settings, key }),
    steps: settings.steps,
    work: settings.steps * settings.batch * settings.length,
  };
}

const panelOf = (plan, id) =>
  plan.experiments.flatMap((experiment) => experiment.panels).find((panel) => panel.id === id);

/**
 * The key of the run that a run of `panel` begins with: that of the arm `begins`, or of the same arm, and of the same
 * seed. null as long as it is open.
 */
function sourceOf(plan, panel, arm, seed, store) {
  if (!panel.from) return undefined;
  const source = panelOf(plan, panel.from);
  const begun = source.arms.find(({ id }) => id === (arm.begins ?? arm.id));
  const rate = ratesOf(plan, source, store).get(begun.id)?.rate;
  return rate === undefined ? null : runOf(source, begun, rate, seed, sourceOf(plan, source, begun, seed, store)).key;
}

function runsOf(plan, panel, arm, rate, seeds, store) {
  const sources = seeds.map((seed) => sourceOf(plan, panel, arm, seed, store));
  return sources.includes(null) ? null : seeds.map((seed, i) => runOf(panel, arm, rate, seed, sources[i]));
}

/** The next rate of a grid whose best one lies at an end of it; none if that lies inside, or at the limit. */
function nextRate(rates, best) {
  if (best === Math.max(...rates) && 2 * best <= RATES.most) return 2 * best;
  if (best === Math.min(...rates) && best / 2 >= RATES.least) return best / 2;
  return null;
}

/**
 * The grid of an arm as far as the store tells: [{ rate, runs }] in rising order, and the choice once every run is there
 * and the best rate is bracketed. Empty where another arm, or the same one in another panel, chooses.
 */
export function gridOf(plan, panel, arm, store) {
  if (arm.rateOf || panel.ratesFrom) return { grid: [] };
  const grid = [];
  const steps = settingsOf(panel, arm, plan.rates[0], 0).steps;
  for (let wanted = panel.rates ?? plan.rates; ; ) {
    for (const rate of wanted) {
      const runs = runsOf(plan, panel, arm, rate, panel.gridSeeds ?? plan.gridSeeds, store);
      if (runs === null) return { grid: [] };
      grid.push({ rate, runs });
    }
    grid.sort((a, b) => a.rate - b.rate);
    if (!grid.every(({ runs }) => runs.every((run) => store.has(run)))) return { grid };
    const choice = chooseRate(
      grid.map(({ rate, runs }) => ({ rate, results: runs.map((run) => store.read(run)) })),
      steps,
    );
    const next = plan.grows
      ? nextRate(
          grid.map(({ rate }) => rate),
          choice.rate,
        )
      : null;
    if (next === null) return { grid, choice };
    wanted = [next];
  }
}

/** The runs of which the results are. */
export const seedRuns = (plan, panel, arm, rate, store) => runsOf(plan, panel, arm, rate, plan.seeds, store);

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

/** The chosen rate of every arm of a panel, by arm; undefined for one whose grid has not run. */
export function ratesOf(plan, panel, store) {
  if (panel.ratesFrom) return ratesOf(plan, panelOf(plan, panel.ratesFrom), store);
  const chosen = new Map();
  for (const arm of panel.arms) {
    if (!arm.rateOf) chosen.set(arm.id, gridOf(plan, panel, arm, store).choice);
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

/** The runs of a panel that can be named so far: its grids, and once they have run those of the results. */
function knownRuns(plan, panel, store) {
  const rates = ratesOf(plan, panel, store);
  return panel.arms.flatMap((arm) => {
    const rate = rates.get(arm.id)?.rate;
    return [
      ...gridOf(plan, panel, arm, store).grid.flatMap(({ runs }) => runs),
      ...(rate === undefined ? [] : (seedRuns(plan, panel, arm, rate, store) ?? [])),
    ];
  });
}

/** All runs of the experiments of a plan, in rounds: what has run says which rates are tried and chosen next. */
export async function runAll(program, plan, store, threads, makeProgress) {
  const progress = makeProgress();
  const panels = plan.experiments.flatMap((experiment) => experiment.panels);
  const announced = new Set();
  const announce = (runs) => {
    const more = runs.filter(({ key }) => !announced.has(key));
    for (const { key } of more) announced.add(key);
    progress.expect(more);
    return more;
  };
  announce(panels.flatMap((panel) => knownRuns(plan, panel, store)));
  for (const experiment of plan.experiments) {
    progress.title(experiment.id);
    const known = () => experiment.panels.flatMap((panel) => knownRuns(plan, panel, store));
    for (let runs = known(); runs.length > 0; runs = announce(known())) {
      await train(program, runs, store, threads, progress);
    }
  }
  progress.end();
}
