// The learned receptive field: theta*_j = alpha 10000^-rho + (1 - alpha) theta_j, alpha and rho of each head.
import { figure } from "../figure.mjs";
import { middle } from "../summary.mjs";
import { accuracyText, convergence, convergenceText, image, list, percent, table } from "./words.mjs";

/** The pairs [{ alpha, rho }] of values that hold alpha, then rho, layer after layer, head after head. */
function heads(values) {
  const count = values.length / 2;
  return Array.from({ length: count }, (_, i) => ({ alpha: values[i], rho: values[count + i] }));
}

const two = (value) => value.toFixed(2);

function spread(values) {
  return `${two(middle(values))} (${two(Math.min(...values))} to ${two(Math.max(...values))})`;
}

/** The starts whose median holds at twice the length, best first, of one task. */
function adviceText(panel) {
  const arms = Object.values(panel.arms).map((arm) => ({
    ...arm,
    ...convergence(arm),
    twice: arm.tests["2x"].accuracy[0],
  }));
  const best = arms.toSorted((a, b) => b.twice - a.twice || a.median - b.median);
  const good = best.filter(({ twice, count, of }) => count === of && twice >= best[0].twice - 0.03);
  return `on *${panel.task}* ${list(good.map(({ label, twice, median }) => `${label} (${percent(twice)}, ${median} steps)`))}`;
}

export function receptiveSection(results) {
  const panels = Object.values(results.experiments.receptive ?? {});
  if (panels.length === 0) return null;
  const ends = (arm) => arm.watched.ends.map(heads);
  const all = panels.flatMap((panel) => Object.values(panel.arms).flatMap((arm) => ends(arm).flat()));
  const reach = (of, margin) => [
    Math.floor((Math.min(0, ...all.map(of)) - margin) * 10) / 10,
    Math.ceil((Math.max(1, ...all.map(of)) + margin) * 10) / 10,
  ];
  const drawing = figure({
    title: "Where alpha and rho of each head go",
    description:
      "From the value at the start, one segment per head and seed to the value after training; alpha across, rho up; one panel per task, one colour per start.",
    panels: panels.map((panel) => ({
      title: `${panel.task}: rho (up) against alpha`,
      xlabel: "alpha",
      x: reach((head) => head.alpha, 0.05),
      y: reach((head) => head.rho, 0.05),
      lines: Object.values(panel.arms).map((arm) => ({
        label: arm.label,
        points: [],
        segments: arm.watched.ends.flatMap((end) => {
          const from = heads(arm.watched.way.values[0]);
          return heads(end).map((to, i) => [from[i].alpha, from[i].rho, to.alpha, to.rho]);
        }),
      })),
    })),
  });
  const perLayer = results.model.num_attention_heads;
  const rows = panels.flatMap((panel) =>
    Object.values(panel.arms).map((arm) => {
      const byPlace = Array.from({ length: results.model.num_hidden_layers * perLayer }, (_, place) =>
        ends(arm).map((heads) => heads[place]),
      );
      return [
        `${panel.task}, ${arm.label}`,
        convergenceText(arm),
        accuracyText(arm.tests["2x"].accuracy),
        ...["alpha", "rho"].flatMap((name) =>
          [0, perLayer].map((first) => {
            const layer = byPlace.slice(first, first + perLayer).flat();
            return spread(layer.map((head) => head[name]));
          }),
        ),
      ];
    }),
  );
  const moved = panels.flatMap((panel) =>
    Object.values(panel.arms).flatMap((arm) => {
      const from = heads(arm.watched.way.values[0]);
      return ends(arm).flatMap((heads) => heads.map((to, i) => Math.abs(to.alpha - from[i].alpha)));
    }),
  );
  const text = `## The receptive field, trained

theta\\*_j = alpha 10000^-rho + (1 - alpha) theta_j with alpha and rho of each head and layer, from ${rows.length / panels.length} starts, for ${panels[0].steps} steps. alpha = 0 is plain RoPE, where rho has no gradient yet.

${image("receptive", "Segments from the starting alpha and rho to where training took each head")}

Medians (least to most) over heads and seeds after training:

${table(["task, start", "converged: steps", "accuracy at 2x, %", "alpha, layer 1", "alpha, layer 2", "rho, layer 1", "rho, layer 2"], rows)}

alpha moved by a median of ${two(middle(moved))} and at most ${two(Math.max(...moved))}: the heads ${middle(moved) < 0.25 ? "stay near where they began, so the start decides more than the gradient does" : "leave their start"}. Two layers and a few hundred steps at one rate; indicative only.

**By kind of task**, as far as these starts go, all that stay within 3 points of the best at twice the length: ${panels.map(adviceText).join("; ")}. A start with alpha 1 gives all pairs one frequency, which leaves no second one to tell distances apart. The [guide](guide.md#read-the-formulas) says what the two parts of the score do there.
`;
  return { text, figures: { receptive: drawing } };
}
