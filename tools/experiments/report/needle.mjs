// A needle at a distance: which letter followed this key, far back?
import { figure } from "../figure.mjs";
import { lossPanel } from "./race.mjs";
import { accuracyText, bandText, convergenceText, image, nats, percent, table } from "./words.mjs";

export function needleSection(results) {
  const panels = Object.values(results.experiments.needle ?? {});
  if (panels.length === 0) return null;
  const drawing = figure({
    title: "Finding a needle at a distance",
    description:
      "Validation loss in nats over steps on a logarithmic axis, by training length: median of the seeds, band from least to most.",
    panels: panels.map((panel) => lossPanel(panel, `${panel.length} tokens: validation loss`)),
  });
  const rows = panels.flatMap((panel) =>
    Object.values(panel.arms).map((arm) => [
      `${panel.length}, ${arm.label}`,
      convergenceText(arm, panel.steps),
      bandText(arm.loss, nats),
      accuracyText(arm.accuracy),
      accuracyText(arm.tests["2x"].accuracy),
    ]),
  );
  const first = panels[0];
  const text = `## A needle far away

The key before the last mask occurred once more, ${panels.map((panel) => `${panel.distance / 2 + 1} to ${panel.distance}`).join(", ")} places back in sequences of ${panels.map((panel) => panel.length).join(", ")} tokens: which letter followed it? Chance is ${percent(first.chance)}. Every step has ${first.batch * first.length} tokens, so longer sequences are fewer, and each asks once.

${image("needle", "Validation loss over steps, one panel per training length")}

${table(["training length, encoding", "converged: steps", "validation loss", "accuracy, %", "accuracy at 2x, %"], rows)}

The claim is what the table shows and no more: at these sizes it is not evidence for or against the paper's results on long documents.
`;
  return { text, figures: { needle: drawing } };
}
