// Masked-language-model loss on generated English: RoPE against BERT-style absolute encodings.
import { figure } from "../figure.mjs";
import { lossPanel } from "./race.mjs";
import { accuracyText, bandText, image, list, lowerCount, nats, percent, table } from "./words.mjs";

/** Who is ahead where the text is longer than in training, T5's bias and ALiBi having been made for that. */
function longerText({ arms }) {
  if (!arms.t5 || !arms.alibi) return "";
  const at = ({ tests }) => tests["4x"].loss[0];
  const order = Object.values(arms).toSorted((a, b) => at(a) - at(b));
  const rise = ({ tests, label }) => `${label} by ${(tests["4x"].loss[0] - tests["1x"].loss[0]).toFixed(2)}`;
  const made =
    order[0] === arms.alibi ? " ALiBi was made for that. It has 8 heads of 4 channels, and the others 2 of 16." : "";
  return `At four times the length the order is another: ${list(order.map((arm) => `${arm.label} ${nats(at(arm))}`))}. From 1x to 4x the loss rose for ${list([arms.rope, arms.t5, arms.alibi].map(rise))}.${made}\n\n`;
}

export function englishSection(results) {
  const panel = results.experiments.english?.english;
  if (!panel) return null;
  const drawing = figure({
    title: "Masked-language-model loss on the generated English",
    description:
      "Validation and training loss in nats over steps on a logarithmic axis: median of the seeds; of the validation, a band from least to most.",
    panels: ["loss", "train"].map((of) => ({
      ...lossPanel(panel, `generated English: ${of === "train" ? "training" : "validation"} loss`, of),
      level: { value: panel.best[1], text: "best possible" },
    })),
  });
  const arms = Object.values(panel.arms);
  const rows = arms.map((arm) => [
    arm.label,
    bandText(arm.train, nats),
    bandText(arm.loss, nats),
    accuracyText(arm.accuracy),
    ...["1x", "2x", "4x"].map((name) => bandText(arm.tests[name].loss, nats)),
  ]);
  const { rope, learned } = panel.arms;
  const [bestLoss, rivals] = [rope.loss[0], arms.filter((arm) => arm.label !== rope.label)];
  const nearest = rivals.reduce((a, b) => (b.loss[0] < a.loss[0] ? b : a));
  const ahead = lowerCount(rope, nearest);
  const apart = rope.loss[2] < nearest.loss[1];
  const text = `## English: RoPE against BERT-style absolute positions

A grammar that knows a few hundred words makes texts. Models read ${panel.length} tokens, of whose words 15 % are hidden, for ${panel.steps} steps. The exact odds of every hidden word are known: on these validation texts no model can reach a loss below ${nats(panel.best[1])} nats or, on average, an accuracy above ${percent(panel.best[0])}.

${image("english", "Validation and training loss on generated English over steps, one line per encoding")}

${table(["encoding", "training loss", "validation loss", "accuracy, %", "test loss at 1x", "at 2x", "at 4x"], rows)}

After the same steps RoPE's validation loss was ${nats(bestLoss)}, that of the nearest other (${nearest.label}) ${nats(nearest.loss[0])}${learned && nearest !== learned ? ` and that of learned positions ${nats(learned.loss[0])}` : ""}; the bands ${apart ? "do not overlap" : "overlap"}, and of the ${rope.losses.length} pairs that share a seed, and so data, masks and initial weights, RoPE was lower in ${ahead}. ${longerText(panel)}No run had finished learning: RoPE's accuracy is ${percent(rope.accuracy[0])}, where ${percent(panel.best[0])} is possible. The figure says who was ahead at that point, as Figure 3 (left) of the paper does at its size.
`;
  return { text, figures: { english: drawing } };
}
