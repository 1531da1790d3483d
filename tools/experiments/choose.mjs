// Chooses the learning rate of an encoding: that of the lowest validation loss over the whole course of training,
// which rewards both an early and a low end. A run that ended early keeps its last loss.

/** Mean validation loss over the planned steps of a run. */
export function meanLoss(result, plannedSteps) {
  const { step, loss } = result.curve;
  let area = 0;
  for (let i = 1; i < step.length; ++i) area += ((loss[i] + loss[i - 1]) / 2) * (step[i] - step[i - 1]);
  area += loss.at(-1) * (plannedSteps - step.at(-1));
  return area / plannedSteps;
}

const mean = (results, of) => results.reduce((sum, result) => sum + of(result), 0) / results.length;

/** grid: [{ rate, results }]. The rate, and every rate with its score and its loss at the end. */
export function chooseRate(grid, planned) {
  const scores = grid.map(({ rate, results }) => ({
    rate,
    score: mean(results, (result) => meanLoss(result, planned)),
    last: mean(results, ({ curve }) => curve.loss.at(-1)),
  }));
  const best = scores.reduce((a, b) => (b.score < a.score ? b : a));
  return { rate: best.rate, scores };
}
