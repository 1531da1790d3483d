// Encodings that were proposed after RoPE, each beside it.
import { lossFigure } from "./race.mjs";
import { ARM_HEAD, armRows, image, list, lowerCount, lowerIn, table } from "./words.mjs";

const SOURCES = {
  pope: "PoPE (arXiv 2509.10534) puts content into the length of a pair alone, and position into its angle",
  "rope-plus-plus":
    "RoPE++ (arXiv 2512.07525), here with half of the projections, keeps the imaginary part of the product as well, in heads of its own",
  "clipped-rope": "clipped RoPE (arXiv 2602.05258) lets the frequencies of the slowest pairs fall smoothly to 0",
  "distance-bias":
    "the distance bias rotates nothing and adds to each score a learned function of the distance, which the query's token mixes from eight",
};

const taskOf = (id) => id.replace(/^newer-/, "");

function verdict(id, { arms }) {
  const { rope, ...others } = arms;
  const said = Object.values(others).map((arm) => `${arm.label} in ${lowerIn(arm, rope)}`);
  return `- **${taskOf(id)}**: of the pairs that share a seed, the validation loss at the end was lower than RoPE's for ${list(said)}.`;
}

/** Who was ahead in every pair, over all tasks: what the few seeds can tell. */
function summary(panels) {
  const rivals = Object.keys(SOURCES).filter((id) => Object.values(panels)[0].arms[id]);
  const lines = rivals.map((id) => {
    const ahead = [];
    const behind = [];
    for (const [name, { arms }] of Object.entries(panels)) {
      const lower = lowerCount(arms[id], arms.rope);
      if (lower === arms.rope.losses.length) ahead.push(`*${taskOf(name)}*`);
      if (lower === 0) behind.push(`*${taskOf(name)}*`);
    }
    const label = Object.values(panels)[0].arms[id].label;
    const part = (names, word) => (names.length > 0 ? `${word} on ${list(names)}` : `${word} on no task`);
    return `- **${label}** was ${part(ahead, "ahead of RoPE in every pair")}, and ${part(behind, "behind it in every pair")}.`;
  });
  return lines.join("\n");
}

export function newerSection(results) {
  const panels = results.experiments.newer;
  if (!panels) return null;
  const named = Object.entries(panels).map(([id, panel]) => [panel, taskOf(id)]);
  const drawing = lossFigure("Encodings proposed after RoPE", named, { columns: 2 });
  const rows = named.flatMap(([panel, task]) => armRows(panel, task, task !== "english"));
  const here = Object.keys(Object.values(panels)[0].arms);
  const text = `## Encodings since RoPE

The same tasks with encodings that others proposed after RoPE, under the same protocol, each with a rate of its own: ${Object.entries(
    SOURCES,
  )
    .filter(([id]) => here.includes(id))
    .map(([, what]) => what)
    .join("; ")}. RoPE runs again beside them.

${image("newer", "Validation loss over steps of the encodings proposed after RoPE, one panel per task")}

${table(["task, encoding", ...ARM_HEAD], rows)}

${Object.entries(panels)
  .map(([id, panel]) => verdict(id, panel))
  .join("\n")}

Taken together:

${summary(panels)}
`;
  return { text, figures: { newer: drawing } };
}
