// The tasks that each encoding learns, and how fast.
import { figure } from "../figure.mjs";
import { accuracyText, convergence, convergenceText, image, list, nats, percent, table } from "./words.mjs";

const TITLES = { order: "order", copy: "copy at an offset", period: "period" };

/** Steps on a logarithmic axis, since RoPE's lie at its beginning. */
function stepsAxis(first, steps) {
  const marks = [25, 50, 100, 250, 500, 1000, 3000].filter((step) => step >= first && step <= steps);
  return {
    x: [Math.log10(first), Math.log10(steps)],
    xticks: marks.map((value) => ({ value: Math.log10(value), text: String(value) })),
    place: (step) => Math.log10(step),
  };
}

/** `of`: "loss", the validation's, or "train", which has no band. */
export function lossPanel(panel, title, of = "loss") {
  const { x, xticks, place } = stepsAxis(panel.evaluate_every, panel.steps);
  const band = (value) => (of === "train" ? [value, value, value] : value);
  const lines = Object.values(panel.arms).map((arm) => ({
    label: arm.label,
    points: arm.curves.step.flatMap((step, i) => (step === 0 ? [] : [[place(step), ...band(arm.curves[of][i])]])),
  }));
  const most = Math.max(...lines.flatMap(({ points }) => points.slice(0, 3).map(([, median]) => median)));
  return { title, xlabel: "steps", x, xticks, y: [0, Math.ceil(most * 1.1 * 10) / 10], lines };
}

/** Validation losses, a panel for each [panel, what it shows]. */
export const lossFigure = (title, panels, { unit = "nats", ...more } = {}) =>
  figure({
    title,
    description: `Validation loss in ${unit} over steps on a logarithmic axis: median of the seeds, band from least to most.`,
    panels: panels.map(([panel, name]) => lossPanel(panel, `${name}: validation loss`)),
    ...more,
  });

const ln2 = Math.log(2);

function raceFigure(race) {
  const panels = Object.entries(race).map(([id, panel]) => ({
    ...lossPanel(panel, `${TITLES[id] ?? id}: validation loss`),
    level: id === "order" ? { value: ln2, text: "label entropy, ln 2" } : undefined,
  }));
  return figure({
    title: "Validation loss of position encodings on small tasks",
    description: `Median of the seeds and band from least to most, in nats, over steps on a logarithmic axis; tasks: ${list(Object.keys(race))}.`,
    panels,
  });
}

function speedTable(race) {
  const ids = Object.keys(race);
  const arms = Object.keys(race[ids[0]].arms);
  const rows = arms.map((arm) => [
    race[ids[0]].arms[arm].label,
    ...ids.map((id) => (race[id].arms[arm] ? convergenceText(race[id].arms[arm]) : "")),
  ]);
  return table(["encoding", ...ids], rows);
}

function factor(panel, slow) {
  const [fast, other] = [panel.arms.rope, panel.arms[slow]];
  if (!fast || !other) return null;
  const [a, b] = [convergence(fast), convergence(other)];
  if (b.count === 0) return `${other.label} did not converge in ${Math.max(...other.steps)}`;
  if (!Number.isFinite(a.median)) return null;
  if (!Number.isFinite(b.median))
    return `${other.label} converged in ${b.count} of ${b.of} runs within ${Math.max(...other.steps)}`;
  return `${other.label} took ${b.median}, ${(b.median / a.median).toFixed(1)} times as many`;
}

function verdicts(race) {
  return Object.entries(race).map(([id, panel]) => {
    if (!panel.arms.rope) return "";
    const a = convergence(panel.arms.rope);
    const first = Number.isFinite(a.median)
      ? `RoPE converged after a median of ${a.median} steps`
      : "RoPE did not converge";
    const rest = ["learned", "sinusoidal", "t5", "transformer-xl"].map((arm) => factor(panel, arm)).filter(Boolean);
    return `- **${id}**: ${[first, ...rest].join("; ")}.`;
  });
}

/** True if the seeds that chose the rate did better over all of training than the result seeds at its end. */
function tuningText(arm) {
  const best = Math.min(...(arm.grid ?? []).map(([, score]) => score));
  if (!(best < arm.loss[1])) return "";
  return `, with a loss of at least ${nats(arm.loss[1])}, but the seeds that chose its rate averaged ${nats(best)} over their training: at least one of them learned it`;
}

function constructionText(race) {
  const parts = [];
  const order = race.order?.arms;
  if (order?.alibi) {
    const { loss, accuracy } = order.alibi;
    parts.push(
      `- **Symmetric ALiBi cannot tell left from right** in an encoder: -m|i-j| is the same on both sides, so a sequence and its mirror image get the same answer, of which one is wrong. On *order* its loss can only stay at the entropy of the labels, ln 2 = ${nats(ln2)}; measured ${nats(loss[0])} (accuracy ${percent(accuracy[0])}). On *copy* its bias tells the distance but not the side.`,
    );
  }
  if (order?.alibi?.label.includes("8 heads")) {
    parts.push(
      `- **ALiBi has 8 heads of 4 channels here**, the others 2 of 16, because its slopes are 2^(-8h/H): with 2 heads they would be 1/16 and 1/256, and of 11 tokens on one side, alike in content, the nearest would get 12 % of the attention, with 8 heads up to 40 %. *ALiBi, asymmetric* is a form of this project's own, and in no paper: the keys after the query have half the slope.`,
    );
  }
  if (order?.none) {
    parts.push(
      `- **Without positions the encoder is a bag of tokens**: exchanging two tokens exchanges their outputs and changes nothing else (a causal decoder is not so; it can infer order from its mask). Measured on *order*: loss ${nats(order.none.loss[0])}, accuracy ${percent(order.none.accuracy[0])}.`,
    );
  }
  if (race.copy?.arms.t5) {
    parts.push(
      `- **T5's bias and ALiBi's do not depend on content**, so no head of the first layer can attend to the offset that a marker names. A second layer can work around that: T5 reached a validation accuracy of ${percent(race.copy.arms.t5.accuracy[0])} on *copy*${tuningText(race.copy.arms.t5)}.`,
    );
  }
  parts.push(
    "- **Rows of the learned table beyond the training length were never trained**, so its results at 2 and 4 times the length say what random vectors do.",
  );
  return parts.join("\n");
}

function longerTable(race) {
  const ids = Object.keys(race);
  const arms = Object.keys(race[ids[0]].arms).filter((arm) => arm !== "none");
  const cells = (panel, arm) =>
    ["1x", "2x", "4x"].map((name) => {
      const test = panel.arms[arm]?.tests[name];
      return test ? accuracyText(test.accuracy) : "";
    });
  return table(
    ["encoding", ...ids.flatMap((id) => [`${id} 1x`, "2x", "4x"])],
    arms.map((arm) => [race[ids[0]].arms[arm].label, ...ids.flatMap((id) => cells(race[id], arm))]),
  );
}

function whereRopeLoses(race) {
  const period = race.period?.arms;
  if (!period?.rope || !period.t5) return "";
  const field = period["rope-receptive-field"];
  const twice = (arm) => `${percent(arm.tests["2x"].accuracy[0])} (loss ${nats(arm.tests["2x"].loss[0])})`;
  return `**RoPE does not extrapolate for free.** On *period* at twice the length it fell from ${percent(period.rope.tests["1x"].accuracy[0])} to ${twice(period.rope)}, where T5's bias had ${twice(period.t5)} and learned positions ${twice(period.learned)}. ${field ? `RoPE with learned α and ρ, which begins as RoPE and moves its alpha a little, kept ${twice(field)}: its shared frequency tunes itself to the one period of this task, so that this is resonance rather than proof of a longer reach. ` : ""}The test-time rules below are about that.`;
}

export function raceSection(results) {
  const race = results.experiments.race;
  const figures = { race: raceFigure(race) };
  const example = Object.values(race)[0];
  const text = `## The race

Each task has a question at each masked position of sequences of ${example.length} tokens. *order*: does the letter on the left of a mask come before the one on its right in the alphabet? *copy*: a marker names an offset of up to 4 positions either way; which letter is there? *period*: 5 random letters repeat; which was hidden?

${image("race", "Validation loss over steps, one panel per task, one line with a band per encoding")}

Seeds that converged, and **median** steps to convergence (least to most). Converged: validation accuracy has come ${percent(results.converged)} of the way from chance to the best possible.

${speedTable(race)}

${verdicts(race).filter(Boolean).join("\n")}

A run that did not converge in these steps might in more. The next section says what some encodings cannot express at all, and what else to know of their rows.

### Limits by construction

${constructionText(race)}

### Longer than trained

Accuracy in per cent at the training length and at 2 and 4 times that: median (least to most).

${longerTable(race)}

${whereRopeLoses(race)}
`;
  return { text, figures };
}
