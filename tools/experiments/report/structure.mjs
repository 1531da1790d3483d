// Tasks that ask for no fixed offset: what followed a letter before, and which bracket is open.
import { figure } from "../figure.mjs";
import { lowerIn } from "./causal.mjs";
import { lossPanel } from "./race.mjs";
import { accuracyText, bandText, convergence, convergenceText, image, list, nats, percent, table } from "./words.mjs";

const WHAT = {
  induction: "the letter before each mask occurred once before; which letter followed it there?",
  dyck: "brackets of two kinds are balanced; of which kind is the hidden closing bracket?",
};

/** The encodings by median steps to convergence, those that never converged last. */
function verdict(id, panel) {
  const arms = Object.values(panel.arms).map((arm) => ({ label: arm.label, ...convergence(arm) }));
  const some = arms.filter(({ count }) => count > 0).sort((a, b) => a.median - b.median);
  const said = some.map(({ label, median, count, of }) =>
    Number.isFinite(median) ? `${label} (median ${median} steps, ${count} of ${of})` : `${label} (${count} of ${of})`,
  );
  const { rope, ...others } = panel.arms;
  const pairs = Object.values(others).map((arm) => `that of ${arm.label} in ${lowerIn(rope, arm)}`);
  return `- **${id}**: ${said.length > 0 ? `converged, fastest first: ${list(said)}` : "no encoding converged"}. RoPE's validation loss was lower than ${list(pairs)} pairs that share a seed.`;
}

export function structureSection(results) {
  const panels = results.experiments.structure;
  if (!panels) return null;
  const drawing = figure({
    title: "Tasks that ask for no fixed offset",
    description:
      "Validation loss in nats over steps on a logarithmic axis: median of the seeds, band from least to most.",
    columns: 2,
    panels: Object.entries(panels).map(([id, panel]) => lossPanel(panel, `${id}: validation loss`)),
  });
  const rows = Object.entries(panels).flatMap(([id, panel]) =>
    Object.values(panel.arms).map((arm) => [
      `${id}, ${arm.label}`,
      convergenceText(arm, panel.steps),
      bandText(arm.loss, nats),
      accuracyText(arm.accuracy),
      accuracyText(arm.tests["2x"].accuracy),
    ]),
  );
  const [first] = Object.values(panels);
  const text = `## Tasks without an offset

The tasks of the race ask for a letter at a certain offset, which suits rotation. These two do not. ${Object.entries(
    panels,
  )
    .map(([id, { chance }]) => `*${id}*: ${WHAT[id]} Chance is ${percent(chance)}.`)
    .join(" ")} Sequences have ${first.length} tokens, and runs at most ${first.steps} steps.

${image("structure", "Validation loss over steps, one panel per task")}

${table(["task, encoding", "converged: steps", "validation loss", "accuracy, %", "accuracy at 2x, %"], rows)}

${Object.entries(panels)
  .map(([id, panel]) => verdict(id, panel))
  .join("\n")}
`;
  return { text, figures: { structure: drawing } };
}
