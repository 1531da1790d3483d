// From the results of runs to what is published: medians over the seeds with the least and the most.
import { glueMetrics } from "./glue-metrics.mjs";
import { CONVERGED, MODEL, PROTOCOL, settingsOf, TRAINING } from "./plan.mjs";
import { gridOf, ratesOf, seedRuns } from "./runs.mjs";

/** Four digits: more than seeds agree on. */
const round = (value) => (value === null || value === undefined ? null : Number(value.toPrecision(4)));

export function middle(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** [median, least, most] */
const band = (values) =>
  values.includes(null) ? null : [round(middle(values)), round(Math.min(...values)), round(Math.max(...values))];

/** First step at which a run was CONVERGED, or null; null too where the best possible accuracy is not known. */
export function convergedAt(result) {
  if (result.best.accuracy === null) return null;
  const enough = result.chance + CONVERGED * (result.best.accuracy - result.chance);
  const index = result.curve.accuracy.findIndex((accuracy) => accuracy >= enough);
  return index < 0 ? null : result.curve.step[index];
}

/** A curve's value at a step; a run that ended early keeps its last. */
function valueAt(curve, name, step) {
  let index = curve.step.length - 1;
  while (index > 0 && curve.step[index] > step) index -= 1;
  return curve[name][index];
}

/** Steps that are kept of a curve: all at first, then every fourth. */
function keptSteps(results, steps) {
  const longest = results.reduce((a, b) => (b.curve.step.length > a.curve.step.length ? b : a)).curve.step;
  const kept = longest.filter((_, i) => i <= 20 || i % 4 === 0);
  for (const end of [longest.at(-1), steps]) if (kept.at(-1) < end) kept.push(end);
  return kept;
}

function curvesOf(results, steps) {
  const kept = keptSteps(results, steps);
  const bands = (name) => kept.map((step) => band(results.map((result) => valueAt(result.curve, name, step))));
  return {
    step: kept,
    loss: bands("loss"),
    accuracy: bands("accuracy"),
    // The first point has no step behind it.
    train: kept.map((step, i) => (i === 0 ? null : round(middle(results.map((r) => valueAt(r.curve, "train", step)))))),
  };
}

/** A test's other scores, of each seed: BLEU, or the metrics of a task of GLUE. */
export function scoresOf(task, tests) {
  const each = tests.map((test) =>
    test.expected ? glueMetrics(task, test.expected, test.answered) : { BLEU: test.bleu ?? null },
  );
  return Object.fromEntries(Object.keys(each[0]).map((name) => [name, each.map((scores) => round(scores[name]))]));
}

function testsOf(task, results) {
  return Object.fromEntries(
    results[0].tests.map((test, i) => [
      test.name,
      {
        length: test.length,
        accuracy: band(results.map((result) => result.tests[i].accuracy)),
        loss: band(results.map((result) => result.tests[i].loss)),
        ...(test.bleu !== undefined || test.expected
          ? {
              scores: scoresOf(
                task,
                results.map(({ tests }) => tests[i]),
              ),
            }
          : {}),
        best: [round(test.best.accuracy), round(test.best.loss)],
        seen: band(results.map((result) => result.tests[i].seen)),
      },
    ]),
  );
}

function watchedOf(results) {
  if (results[0].watched.length === 0) return undefined;
  // Per seed, the values at the beginning and at the end; and the whole way of the first seed.
  return {
    ends: results.map((result) => result.watched.at(-1).map(round)),
    way: { step: results[0].curve.step, values: results[0].watched.map((values) => values.map(round)) },
  };
}

function summariseArm(plan, panel, arm, chosen, store) {
  const { rate, scores } = chosen;
  const results = seedRuns(plan, panel, arm, rate, store).map((run) => store.read(run));
  const settings = settingsOf(panel, arm, rate, plan.seeds[0]);
  return {
    label: arm.label,
    encoding: arm.config.position_encoding,
    rate,
    ...(arm.rateOf || panel.ratesFrom
      ? {}
      : { grid: scores.map(({ rate, score, last }) => [rate, round(score), round(last)]) }),
    parameters: results[0].parameters,
    converged: results.map(convergedAt),
    steps: results.map((result) => result.steps),
    tokens: results.map((result) => result.tokens),
    millisecondsPerStep: band(results.map((result) => (1000 * result.curve.seconds.at(-1)) / result.steps)),
    seconds: band(results.map((result) => result.seconds)),
    loss: band(results.map((result) => result.curve.loss.at(-1))),
    losses: results.map((result) => round(result.curve.loss.at(-1))),
    train: band(results.map((result) => result.curve.train.at(-1))),
    accuracy: band(results.map((result) => result.curve.accuracy.at(-1))),
    tests: testsOf(panel.task, results),
    curves: curvesOf(results, settings.steps),
    watched: watchedOf(results),
  };
}

function summarisePanel(plan, panel, store) {
  const rates = ratesOf(plan, panel, store);
  const first = panel.arms[0];
  const settings = settingsOf(panel, first, rates.get(first.id).rate, plan.seeds[0]);
  const result = store.read(seedRuns(plan, panel, first, rates.get(first.id).rate, store)[0]);
  const { task, distance, batch, length, steps, evaluate_every, evaluation_rows, test_rows } = settings;
  return {
    task,
    distance,
    batch,
    length,
    steps,
    evaluate_every,
    evaluation_rows,
    test_rows,
    gridSeeds: panel.gridSeeds ?? plan.gridSeeds,
    chance: round(result.chance),
    best: [round(result.best.accuracy), round(result.best.loss)],
    arms: Object.fromEntries(
      panel.arms.map((arm) => [arm.id, summariseArm(plan, panel, arm, rates.get(arm.id), store)]),
    ),
  };
}

/** All runs of an experiment, those of the grids included, and the seconds that their threads computed. */
function costOf(plan, experiment, store) {
  const results = experiment.panels
    .flatMap((panel) => {
      const rates = ratesOf(plan, panel, store);
      return panel.arms.flatMap((arm) => [
        ...gridOf(plan, panel, arm, store).grid.flatMap(({ runs }) => runs),
        ...seedRuns(plan, panel, arm, rates.get(arm.id).rate, store),
      ]);
    })
    .map((run) => store.read(run));
  const seconds = results.reduce((sum, result) => sum + result.seconds, 0);
  return { runs: results.length, seconds: Math.round(seconds) };
}

/** Sum of the costs of experiments. */
const sum = (costs) => ({
  runs: costs.reduce((total, { runs }) => total + runs, 0),
  seconds: costs.reduce((total, { seconds }) => total + seconds, 0),
});

/** where: the machine, the commit and the date. Everything else is in the plan and the runs. */
export function summarise(plan, store, where) {
  const recorded = Object.fromEntries(
    plan.experiments.map((experiment) => [
      experiment.id,
      { ...where, protocol: PROTOCOL, ...costOf(plan, experiment, store) },
    ]),
  );
  return {
    plan: plan.name,
    protocol: PROTOCOL,
    machine: where.machine,
    cost: sum(Object.values(recorded)),
    recorded,
    model: MODEL,
    training: TRAINING,
    converged: CONVERGED,
    rates: plan.rates,
    seeds: plan.seeds,
    experiments: Object.fromEntries(
      plan.experiments.map((experiment) => [
        experiment.id,
        Object.fromEntries(experiment.panels.map((panel) => [panel.id, summarisePanel(plan, panel, store)])),
      ]),
    ),
  };
}

/** The published results, with the experiments of `fresh` in the place of those of the same name. */
export function merged(published, fresh) {
  const replaced = Object.keys(fresh.recorded).flatMap((id) => published.recorded?.[id] ?? []);
  const [before, gone] = [published.cost, sum(replaced)];
  return {
    ...published,
    cost: sum([before, fresh.cost, { runs: -gone.runs, seconds: -gone.seconds }]),
    recorded: { ...published.recorded, ...fresh.recorded },
    experiments: { ...published.experiments, ...fresh.experiments },
  };
}
