// Tasks that ask for no fixed offset: what followed a letter before, and which bracket is open.
import { lossFigure } from "./race.mjs";
import { ARM_HEAD, armRows, convergence, image, list, lowerIn, percent, table } from "./words.mjs";

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
  const named = Object.entries(panels).map(([id, panel]) => [panel, id]);
  const drawing = lossFigure("Tasks that ask for no fixed offset", named, { columns: 2 });
  const rows = named.flatMap(([panel, id]) => armRows(panel, id));
  const [first] = Object.values(panels);
  const text = `## Tasks without an offset

The tasks of the race ask for a letter at a certain offset, which suits rotation. These two do not. ${Object.entries(
    panels,
  )
    .map(([id, { chance }]) => `*${id}*: ${WHAT[id]} Chance is ${percent(chance)}.`)
    .join(" ")} Sequences have ${first.length} tokens, and runs at most ${first.steps} steps.

${image("structure", "Validation loss over steps, one panel per task")}

${table(["task, encoding", ...ARM_HEAD], rows)}

${Object.entries(panels)
  .map(([id, panel]) => verdict(id, panel))
  .join("\n")}
`;
  return { text, figures: { structure: drawing } };
}
