// GLUE's metrics and BLEU as they are published, on cases worked out by hand.
import assert from "node:assert/strict";
import { test } from "node:test";
import { glueMetrics } from "../../tools/experiments/glue-metrics.mjs";
import { scoreText } from "../../tools/experiments/report/words.mjs";
import { scoresOf } from "../../tools/experiments/summary.mjs";

/** Sums of roots differ in the last bits. */
const near = (value, expected) => assert.ok(Math.abs(value - expected) < 1e-12, `${value}, not ${expected}`);

test("acceptability is judged by Matthews' correlation, as CoLA", () => {
  // Two true positives, one false positive, one false negative, four true negatives: (8 - 1) / sqrt(3 * 3 * 5 * 5).
  const { matthews, accuracy } = glueMetrics("acceptability", [1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0, 0, 0]);
  near(matthews, 7 / 15);
  assert.equal(accuracy, 6 / 8);
  // One answer for all lines is right half of the time, and tells nothing.
  const same = glueMetrics("acceptability", [1, 1, 0, 0], [1, 1, 1, 1]);
  assert.deepEqual(same, { matthews: 0, accuracy: 0.5 });
});

test("coreference is judged by accuracy, as RTE", () => {
  assert.deepEqual(glueMetrics("coreference", [1, 0, 1, 0], [1, 0, 0, 0]), { accuracy: 0.75 });
});

test("similarity is judged by Pearson's and Spearman's correlations, as STS-B", () => {
  // Deviations (-1/3, 0, 1/3) and (-4/3, -1/3, 5/3); the order is the same.
  const { pearson, spearman } = glueMetrics("similarity", [1 / 3, 2 / 3, 1], [1, 2, 4]);
  near(pearson, 3 / Math.sqrt(28 / 3));
  near(spearman, 1);
});

test("each seed has its scores, and the report the median with the least and the most", () => {
  const tests = [0.25, 0.75, 0.5].map((bleu) => ({ bleu }));
  assert.deepEqual(scoresOf("translation", tests), { BLEU: [0.25, 0.75, 0.5] });
  assert.equal(
    scoreText([0.25, 0.75, 0.5], (value) => (100 * value).toFixed(0)),
    "50 (25 to 75)",
  );
  const lines = [
    { expected: [1, 0], answered: [1, 0] },
    { expected: [1, 0], answered: [0, 0] },
  ];
  assert.deepEqual(scoresOf("coreference", lines), { accuracy: [1, 0.5] });
});
