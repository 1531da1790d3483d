// Letters predicted from those before them: Performer with and without rotation, and softmax attention as the ceiling.
import { lossFigure } from "./race.mjs";
import { accuracyText, bandText, image, lowerIn, nats, percent, table } from "./words.mjs";

function verdict(plain, rotated, ceiling) {
  const gap = plain.loss[0] - ceiling.loss[0];
  const gained = plain.loss[0] - rotated.loss[0];
  const share = gap > 0 ? `, ${percent(gained / gap)} of the way to ${ceiling.label}` : "";
  return `- **${rotated.label}** ended at ${nats(rotated.loss[0])} nats where ${plain.label} ended at ${nats(plain.loss[0])}${share}; of the pairs that share a seed it was lower in ${lowerIn(rotated, plain)}.`;
}

export function causalSection(results) {
  const panel = results.experiments.causal?.characters;
  if (!panel) return null;
  const drawing = lossFigure(
    "Letters of the generated English, from those before them",
    [[panel, "letters of the generated English"]],
    { unit: "nats a letter" },
  );
  const arms = Object.values(panel.arms);
  const rows = arms.map((arm) => [
    arm.label,
    bandText(arm.loss, nats),
    accuracyText(arm.accuracy),
    bandText(arm.tests["1x"].loss, nats),
    bandText(arm.tests["2x"].loss, nats),
  ]);
  const { "performer-learned": plain, "softmax-rope": ceiling } = panel.arms;
  const rotated = ["performer-learned-rope", "performer-learned-features"].map((id) => panel.arms[id]).filter(Boolean);
  const verdicts = plain && ceiling ? rotated.map((arm) => verdict(plain, arm, ceiling)) : [];
  const text = `## Causal Performer

Figure 3 (right) of the paper trains a Performer on the characters of Enwik8, once with learned positions alone and once with rotation added. Here the same model, causal, reads ${panel.length} letters of the generated English and predicts the next one, ${panel.batch} sequences a step for ${panel.steps} steps. *Performer, learned positions* has FAVOR+'s random features, which stand in for softmax, and a learned vector for each position. *And rotation* rotates queries and keys before the features are made of them, as the code of the paper's experiment does; *and equation 19* rotates the features themselves, in the numerator alone. *softmax* is exact attention, with learned positions alone and with rotation alone; the latter is the ceiling. A model that always answers with the most frequent letter is right in ${percent(panel.chance)} of cases.

${image("causal", "Validation loss over steps of causal Performers and of softmax attention")}

${table(["attention", "validation loss", "accuracy, %", "test loss at 1x", "at 2x"], rows)}
${verdicts.length > 0 ? `\n${verdicts.join("\n")}\n` : ""}
At twice the length the learned vectors beyond the training length were never trained.
`;
  return { text, figures: { causal: drawing } };
}
