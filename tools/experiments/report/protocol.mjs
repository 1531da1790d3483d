// How the comparison was made: what is the same for all, which rates were tried, what it cost.
import { allPanels, bandText, list, percent, table } from "./words.mjs";

function gridSeedsText(results) {
  const texts = Object.entries(results.experiments).map(([id, panels]) => [
    id,
    Object.values(panels)[0].gridSeeds.join(", "),
  ]);
  const [, common] = texts.at(-1);
  const others = texts.filter(([, seeds]) => seeds !== common);
  const parts = [...new Set(others.map(([, seeds]) => seeds))].map((seeds) => {
    const ids = others.filter((each) => each[1] === seeds).map(([id]) => `*${id}*`);
    return `${seeds} for ${list(ids)}`;
  });
  return [...parts, parts.length > 0 ? `${common} for the rest` : common].join("; ");
}

/** Arms that chose their own rate, each with the `name` of its panel and encoding. */
const tunedArms = (results) =>
  allPanels(results)
    .flatMap(([panel, { arms }]) => Object.values(arms).map((arm) => ({ ...arm, name: `${arm.label} on *${panel}*` })))
    .filter(({ grid }) => grid?.length > 1);

/** How many tuned rates lie at an end of the grid. */
function gridEndText(results) {
  const tuned = tunedArms(results);
  const ends = tuned.filter(({ rate, grid }) => {
    const tried = grid.map(([value]) => value);
    return rate === Math.min(...tried) || rate === Math.max(...tried);
  });
  if (ends.length === 0) return `Each of the ${tuned.length} tuned rates has a worse one tried on either side.`;
  const lies = ends.length === 1 ? "1 tuned rate lies" : `${ends.length} tuned rates lie`;
  return `Of ${tuned.length}, ${lies} at an end of what was tried, so that the best may lie beyond it: ${list(ends.map(({ name }) => name))}.`;
}

/** How often the loss at the end, averaged over the same seeds, would have chosen another rate. */
function lastLossText(results) {
  const known = tunedArms(results).filter(({ grid }) => grid.every(([, , last]) => last !== undefined));
  if (known.length === 0) return "";
  const other = known.filter(({ rate, grid }) => grid.reduce((a, b) => (b[2] < a[2] ? b : a))[0] !== rate);
  const names = other.length > 0 ? ` (${list(other.map(({ name }) => name))})` : "";
  return ` The average rewards an early fall as well as a low end, which suits a race; the loss at the end alone would have chosen another rate for ${other.length} of the ${known.length} arms for which it is recorded${names}.`;
}

/** The share of a test's rows that training had as well, where it was recorded. */
function seenText(results) {
  const shares = allPanels(results).flatMap(([name, { arms }]) => {
    const values = Object.values(arms).flatMap(({ tests }) => Object.values(tests).flatMap(({ seen }) => seen ?? []));
    return values.length > 0 ? [{ name, share: Math.max(...values) }] : [];
  });
  if (shares.length === 0) return "";
  const met = shares.filter(({ share }) => share > 0);
  const most = met.map(({ name, share }) => `${percent(share)} in *${name}*`);
  return ` Nothing keeps the streams apart but chance. The share of a test's rows that also occur in training is at most ${most.length > 0 ? list(most) : "none"}${met.length < shares.length && most.length > 0 ? ", and none in the others for which that was counted" : ""}.`;
}

export function protocolSection(results) {
  const { model, training } = results;
  return `## Protocol

These are the settings of the race. Other experiments have other rates, batches, numbers of rows and rules for stopping: \`tools/experiments/plan.mjs\` has all of them.

- The model: a post-norm encoder of ${model.num_hidden_layers} layers, ${model.hidden_size} channels, ${model.num_attention_heads} heads, feed-forward ${model.intermediate_size}, with BERT's LayerNorm after the embeddings for every encoding. Dropout 0.
- Runs of one seed have the same data in the same order, the same masks and the same initial weights, whatever their encoding: parameters of positions are drawn last. Words and learned positions begin with a standard deviation of ${model.initializer_range.toFixed(3)} (one over the root of the channels), and the sines are scaled to that root mean square, so that neither swamps the other at first.
- ${training.batch} sequences of ${training.length} tokens a step unless a section says otherwise. AdamW (beta 0.9 and ${training.beta2}, weight decay ${training.weight_decay}), gradient clipped to 1, rate rising over ${training.warmup_steps} steps, then falling linearly to 0 at the last planned step.
- Learning rate **per encoding and task** from ${results.rates.join(", ")}${results.plan === "full" ? ", and further by factors of 2 until the best lies inside, as far as the search went" : ""}: the lowest validation loss averaged over the whole of training, on seeds that no result uses (${gridSeedsText(results)}). The tables give results at the end of training.${lastLossText(results)} ${gridEndText(results)}
- ${results.seeds.length} seeds; figures show the median and the band from least to most. Validation every ${training.evaluate_every} steps on ${training.evaluation_rows} sequences from another stream of the same task, tests on ${training.test_rows} others.${seenText(results)}
- No test of significance is used but this: if two encodings were alike, a given one would be lower in all ${results.seeds.length} pairs that share a seed with probability 1/${2 ** results.seeds.length}, and one or the other with 1/${2 ** (results.seeds.length - 1)}. Fewer than all is no evidence. Among the many pairs of this page some such results are to be expected by chance.
- A run ends early once its validation accuracy was ${100 * training.stop_share} % of the way from chance to the best possible at ${training.stop_after} validations in a row; its curve keeps its last value. Its rate then falls to 0 over a last tenth of the planned steps, and it is tested after that. Runs that did not converge are counted as such and never dropped.
- Hidden tokens always become [MASK] (no random replacements), so that the best possible score is known exactly.
`;
}

/** Every rate that was tried or used in a panel, in rising order. */
function ratesOf(panel) {
  const all = Object.values(panel.arms).flatMap((arm) => [arm.rate, ...(arm.grid ?? []).map(([rate]) => rate)]);
  return [...new Set(all)].toSorted((a, b) => a - b);
}

export function appendix(results) {
  const parts = allPanels(results).map(([id, panel]) => {
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

Score: validation loss averaged over training, by which the rate (**bold**) was chosen. "used": not tuned; the rate was taken from RoPE (arms that cannot succeed), from the first start (receptive field), from the shorter length, or from the shorter training. Seconds are those that the run's thread computed, validation and tests included.

${parts.join("\n\n")}
`;
}
