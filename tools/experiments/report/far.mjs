// Distant tokens: at a fixed distance, and a needle to be found by its key.
import { lossFigure } from "./race.mjs";
import { ARM_HEAD, armRows, convergence, image, list, percent, table } from "./words.mjs";

const rowsTable = (panels) =>
  table(
    ["tokens, encoding", ...ARM_HEAD],
    panels.flatMap((panel) => armRows(panel, panel.length)),
  );

const needleDistances = ({ distance }) => `${distance / 2 + 1} to ${distance}`;

function verdict(panel) {
  const arms = Object.values(panel.arms).map((arm) => ({ label: arm.label, ...convergence(arm) }));
  const some = arms.filter(({ count }) => count > 0).map(({ label, count, of }) => `${label} in ${count} of ${of}`);
  const away = panel.task === "needle" ? needleDistances(panel) : String(panel.distance);
  return `- ${panel.length} tokens, ${away} positions away: ${some.length > 0 ? `converged: ${list(some)}` : "no encoding converged"}.`;
}

export function farSection(results) {
  const far = Object.values(results.experiments.far ?? {});
  const needle = Object.values(results.experiments.needle ?? {});
  const panels = [...far, ...needle];
  if (panels.length === 0) return null;
  const named = panels.map((panel) => [panel, `${panel.task} at ${panel.distance}, ${panel.length} tokens`]);
  const drawing = lossFigure("What stands far away", named, {
    description:
      "Validation loss in nats over steps on a logarithmic axis, a panel per task and length: median of the seeds, band from least to most.",
    columns: Math.min(panels.length, 2),
  });
  const parts = ["## Far away", image("far", "Validation loss over steps, one panel per task and length")];
  if (far.length > 0) {
    parts.push(
      `**A fixed distance.** *period* with periods of ${list(far.map((panel) => String(panel.distance)))} in sequences of ${list(far.map((panel) => String(panel.length)))} tokens: the letter that is hidden occurs again that many positions before or after. Every step has ${far[0].batch * far[0].length} tokens. T5's buckets widen with distance, so by construction they do not tell far neighbours apart. The rates are those of ${far[0].length} tokens; runs that fail at ${far.at(-1).length} may have a poor one.`,
      rowsTable(far),
      far.map(verdict).join("\n"),
    );
  }
  if (needle.length > 0) {
    const [panel] = needle;
    parts.push(
      `**A needle.** The letter before the last mask also stands ${needleDistances(panel)} positions earlier, in ${panel.length} tokens: which letter followed it there? The distance is not fixed, so that letter has to be found and its neighbour read, by two layers together. Chance is ${percent(panel.chance)}. Each sequence has one question, so a step takes ${panel.batch} sequences. That makes this the most expensive task here, and its runs stop while RoPE is still learning.`,
      rowsTable(needle),
      needle.map(verdict).join("\n"),
    );
  }
  parts.push("At these sizes this is no evidence for or against the paper's results on long documents.\n");
  return { text: parts.join("\n\n"), figures: { far: drawing } };
}
