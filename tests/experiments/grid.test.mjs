// A grid of rates grows until its best rate has a worse one on either side.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RATES } from "../../tools/experiments/plan.mjs";
import { gridOf, ratesOf } from "../../tools/experiments/runs.mjs";
import { merged } from "../../tools/experiments/summary.mjs";

const arm = { id: "rope", label: "RoPE", config: { position_encoding: "rope" } };
const panel = { id: "order", task: "order", training: { steps: 100 }, arms: [arm] };
const plan = {
  rates: [1e-3, 2e-3, 4e-3],
  grows: true,
  gridSeeds: [101],
  seeds: [1],
  experiments: [{ id: "race", panels: [panel] }],
};

/** A store in which every run has been done, with the loss that a rate gives. */
const storeOf = (loss, has = () => true) => ({
  has,
  read: ({ line }) => ({ curve: { step: [0, 100], loss: [loss(JSON.parse(line).learning_rate), 0] } }),
});
const best = (rate) => (tried) => Math.abs(Math.log(tried / rate));
const ratesTried = (loss) => gridOf(plan, panel, arm, storeOf(loss)).grid.map(({ rate }) => rate);

test("a best rate inside is chosen at once", () => {
  assert.deepEqual(ratesTried(best(2e-3)), [1e-3, 2e-3, 4e-3]);
  assert.equal(ratesOf(plan, panel, storeOf(best(2e-3))).get("rope").rate, 2e-3);
});

test("a best rate at an end gets a neighbour, until it has one on either side", () => {
  assert.deepEqual(ratesTried(best(1.6e-2)), [1e-3, 2e-3, 4e-3, 8e-3, 1.6e-2, 3.2e-2]);
  assert.deepEqual(ratesTried(best(5e-4)), [2.5e-4, 5e-4, 1e-3, 2e-3, 4e-3]);
});

test("it ends at the limits, and not at all where a plan does not grow", () => {
  assert.equal(ratesTried((rate) => 1 / rate).at(-1), RATES.most);
  assert.equal(ratesTried((rate) => rate)[0], RATES.least);
  const { grid, choice } = gridOf({ ...plan, grows: false }, panel, arm, storeOf(best(1)));
  assert.equal(grid.length, 3);
  assert.equal(choice.rate, 4e-3);
});

test("nothing is chosen before all of a grid has run", () => {
  const { grid, choice } = gridOf(
    plan,
    panel,
    arm,
    storeOf(best(2e-3), () => false),
  );
  assert.equal(grid.length, 3);
  assert.equal(choice, undefined);
});

test("what begins with the weights of another run waits for its rate, and is named for it", () => {
  const later = { ...panel, id: "later", from: "order" };
  const both = { ...plan, experiments: [{ id: "race", panels: [panel, later] }] };
  const open = storeOf(best(2e-3), () => false);
  assert.deepEqual(gridOf(both, later, arm, open).grid, []);
  const lines = (loss) => gridOf(both, later, arm, storeOf(loss)).grid[0].runs.map(({ line }) => JSON.parse(line));
  assert.match(lines(best(2e-3))[0].from, /^order\.rope\.0\.002\.101\./);
  assert.notEqual(lines(best(2e-3))[0].key, lines(best(1e-3))[0].key);
});

test("what begins with the weights of another arm is named for that arm's run", () => {
  const none = { id: "dropped", label: "dropped", config: { position_encoding: "none" }, begins: "rope" };
  const later = { ...panel, id: "later", from: "order", arms: [none] };
  const both = { ...plan, experiments: [{ id: "race", panels: [panel, later] }] };
  const [run] = gridOf(both, later, none, storeOf(best(2e-3))).grid[0].runs;
  assert.match(JSON.parse(run.line).from, /^order\.rope\.0\.002\.101\./);
});

test("an experiment that is recorded again replaces the one before, and its cost", () => {
  const of = (runs, value) => ({
    cost: { runs, seconds: runs },
    recorded: { race: { runs, seconds: runs } },
    experiments: { race: value },
  });
  const published = { ...of(10, "old"), cost: { runs: 15, seconds: 15 } };
  const both = merged(published, of(4, "new"));
  assert.deepEqual(both.cost, { runs: 9, seconds: 9 });
  assert.equal(both.experiments.race, "new");
});
