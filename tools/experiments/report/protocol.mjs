// How the comparison was made: what is the same for all, which rates were tried, what it cost.
import { bandText, table } from "./words.mjs";

function gridSeedsText(results) {
  const texts = Object.entries(results.experiments).map(([id, panels]) => [
    id,
    Object.values(panels)[0].gridSeeds.join(", "),
  ]);
  const [, common] = texts.at(-1);
  const others = texts.filter(([, seeds]) => seeds !== common).map(([id, seeds]) => `${seeds} for the ${id}`);
  return [...others, others.length > 0 ? `${common} for the rest` : common].join(", ");
}

/** How many tuned rates lie at an end of the grid. */
function gridEndText({ experiments }) {
  const arms = Object.values(experiments).flatMap((panels) =>
    Object.values(panels).flatMap(({ arms }) => Object.values(arms)),
  );
  const tuned = arms.filter(({ grid }) => grid?.length > 1);
  const ends = tuned.filter(({ rate, grid }) => {
    const tried = grid.map(([value]) => value);
    return rate === Math.min(...tried) || rate === Math.max(...tried);
  });
  return ends.length === 0
    ? `Each of the ${tuned.length} tuned rates has a worse one tried on either side.`
    : `${ends.length} of ${tuned.length} tuned rates lie at an end of what was tried, so that the best rate may lie beyond it.`;
}

export function protocolSection(results) {
  const { model, training } = results;
  return `## Protocol

- The model: a post-norm encoder of ${model.num_hidden_layers} layers, ${model.hidden_size} channels, ${model.num_attention_heads} heads, feed-forward ${model.intermediate_size}, with BERT's LayerNorm after the embeddings for every encoding. Dropout 0.
- Runs of one seed have the same data in the same order, the same masks and the same initial weights, whatever their encoding: parameters of positions are drawn last. Words and learned positions begin with a standard deviation of ${model.initializer_range.toFixed(3)} (one over the root of the channels), and the sines are scaled to that root mean square, so that neither swamps the other at first.
- ${training.batch} sequences of ${training.length} tokens a step unless a section says otherwise. AdamW (beta 0.9 and ${training.beta2}, weight decay ${training.weight_decay}), gradient clipped to 1, rate rising over ${training.warmup_steps} steps, then falling linearly to 0 at the last planned step.
- Learning rate **per encoding and task** from ${results.rates.join(", ")}${results.plan === "full" ? ", and further by factors of 2 until the best lies inside" : ""}: the lowest validation loss averaged over the whole of training, on seeds that no result uses (${gridSeedsText(results)}). All scores are at the end. ${gridEndText(results)}
- ${results.seeds.length} seeds; figures show the median and the band from least to most. Validation every ${training.evaluate_every} steps on ${training.evaluation_rows} sequences that no training batch has, tests on ${training.test_rows} others.
- A run ends early once its validation accuracy was ${100 * training.stop_share} % of the way from chance to the best possible at ${training.stop_after} validations in a row; its curve keeps its last value. Before it ends its rate falls to 0 within a tenth of the planned steps, so that all runs are tested at the end of that. Runs that did not converge are counted as such and never dropped.
- Hidden tokens always become [MASK] (no random replacements), so that the best possible score is known exactly.
`;
}

/** Every rate that was tried or used in a panel, in rising order. */
function ratesOf(panel) {
  const all = Object.values(panel.arms).flatMap((arm) => [arm.rate, ...(arm.grid ?? []).map(([rate]) => rate)]);
  return [...new Set(all)].toSorted((a, b) => a - b);
}

export function appendix(results) {
  const panels = Object.values(results.experiments).flatMap((experiment) => Object.entries(experiment));
  const parts = panels.map(([id, panel]) => {
    const rates = ratesOf(panel);
    const rows = Object.values(panel.arms).map((arm) => [
      arm.label,
      String(arm.parameters),
      ...rates.map((rate) => {
        const score = arm.grid?.find(([tried]) => tried === rate)?.[1];
        const text = score === undefined ? "" : score.toFixed(3);
        return rate === arm.rate ? `**${text || "used"}**` : text;
      }),
      String(Math.max(...arm.steps)),
      String(Math.max(...arm.tokens)),
      bandText(arm.seconds, (value) => value.toFixed(1)),
      bandText(arm.millisecondsPerStep, (value) => value.toFixed(2)),
    ]);
    const head = [
      "encoding",
      "parameters",
      ...rates.map((rate) => `score at ${rate}`),
      "most steps",
      "most tokens",
      "seconds a run",
      "ms a step",
    ];
    return `**${id}**: ${panel.batch} x ${panel.length} tokens, at most ${panel.steps} steps\n\n${table(head, rows)}`;
  });
  return `## Rates, parameters, time

Score: validation loss averaged over training, by which the rate (**bold**) was chosen; "used": the rate of another arm or length, where the arm cannot succeed by construction, differs only in where it starts, or is the same at more tokens. Seconds are those that the run's thread computed, validation and tests included.

${parts.join("\n\n")}
`;
}
