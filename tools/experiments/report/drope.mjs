// DroPE: the rotation is taken out of a trained causal model, which then goes on for a little.
import { figure } from "../figure.mjs";
import { FACTORS, lengthAxis } from "./rules.mjs";
import { bandText, image, nats, percent, table } from "./words.mjs";

/** Lines of figure and table: a name, and the loss of the arm at each multiple of the trained length. */
export function linesOf({ "drope-trained": trained, "drope-recalibrated": after }) {
  const { rotated } = trained.arms;
  const loss = (arm, rule) =>
    FACTORS.map((factor) => {
      const name = rule && !(factor === 1 && rule !== "dropped") ? `${factor}x ${rule}` : `${factor}x`;
      return arm.tests[name].loss;
    });
  return {
    before: { label: "rotation, trained", losses: loss(rotated) },
    cut: { label: "rotation taken out, nothing trained", losses: loss(rotated, "dropped") },
    kept: { label: "rotation kept, trained on", losses: loss(after.arms.rotated) },
    yarn: { label: "rotation kept, trained on, YaRN at test time", losses: loss(after.arms.rotated, "yarn") },
    ntk: { label: "rotation kept, trained on, NTK-aware at test time", losses: loss(after.arms.rotated, "ntk") },
    dropped: { label: "rotation taken out, trained on (DroPE)", losses: loss(after.arms.dropped) },
    never: { label: "no positions from the start, trained on", losses: loss(after.arms.never) },
  };
}

function verdict(lines, seeds) {
  const { before, cut, kept, yarn, ntk, dropped, never } = lines;
  const at = (line, i) => line.losses[i][0];
  const rules = at(yarn, 2) < at(ntk, 2) ? yarn : ntk;
  const compare = (i, line) => (at(dropped, i) < at(line, i) ? "lower" : "higher");
  return [
    `- **Taking the rotation out** raises the loss at the trained length from ${nats(at(before, 0))} to ${nats(at(cut, 0))}. Training on brings it back to ${nats(at(dropped, 0))}: ${percent((at(cut, 0) - at(dropped, 0)) / (at(cut, 0) - at(kept, 0)))} of the way to the model that kept its rotation for as many steps, which has ${nats(at(kept, 0))}.`,
    `- **At four times the length** DroPE has ${nats(at(dropped, 2))}: ${compare(2, kept)} than the model that kept its rotation (${nats(at(kept, 2))}), and ${compare(2, rules)} than the better of two scaling rules at test time (${rules === yarn ? "YaRN" : "NTK-aware"}, ${nats(at(rules, 2))}).`,
    `- **A model without positions from the start** has ${nats(at(never, 0))} at the trained length and ${nats(at(never, 2))} at four times that, after the same steps: rotation in training and none afterwards is ${compare(0, never)} at the trained length and ${compare(2, never)} at four times.`,
    `- Medians of ${seeds} seeds. One small model of letters; the paper tests models of up to 7 billion parameters at lengths of thousands.`,
  ].join("\n");
}

export function dropeSection(results) {
  const panels = results.experiments.drope;
  if (!panels) return null;
  const lines = linesOf(panels);
  const { "drope-trained": trained, "drope-recalibrated": after } = panels;
  const shown = Object.values(lines).filter((line) => line !== lines.cut);
  const most = Math.max(...shown.flatMap(({ losses }) => losses.map(([, , high]) => high)));
  const least = Math.min(...shown.flatMap(({ losses }) => losses.map(([, low]) => low)));
  const drawing = figure({
    title: "DroPE: rotation taken out after training",
    description:
      "Loss in nats a letter at 1, 2 and 4 times the trained length: median of the seeds, band from least to most.",
    panels: [
      {
        title: "letters of the generated English: test loss",
        ...lengthAxis,
        y: [Math.floor(least * 10) / 10, Math.ceil(most * 10) / 10],
        dots: true,
        lines: shown.map(({ label, losses }) => ({
          label,
          points: FACTORS.map((factor, i) => [Math.log2(factor), ...losses[i]]),
        })),
      },
    ],
  });
  const rows = Object.values(lines).map(({ label, losses }) => [label, ...losses.map((band) => bandText(band, nats))]);
  const text = `## DroPE: rotation taken out after training

DroPE (arXiv 2512.12167) says that rotation helps a model to learn and hinders it at lengths that it was not trained at, and takes it out when training is over. Here a causal model with RoPE reads ${trained.length} letters of the generated English for ${trained.steps} steps. Then it goes on for ${after.steps} steps at the same length, without rotation or, to compare, with it. A causal model without positions can still infer some order from its mask. A model that always answers with the most frequent letter is right in ${percent(trained.chance)} of cases.

${image("drope", "Test loss at 1, 2 and 4 times the trained length, with rotation, without, and with rotation taken out")}

${table(["model", "test loss at 1x", "at 2x", "at 4x"], rows)}

${verdict(lines, results.seeds.length)}
`;
  return { text, figures: { drope: drawing } };
}
