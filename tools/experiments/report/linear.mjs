// Linear attention with and without rotation: the ablation changes theta to 0 and nothing else.
import { lossFigure } from "./race.mjs";
import { ARM_HEAD, armRows, image, nats, percent, table } from "./words.mjs";

const PAIRS = [
  ["rope-linear-attention", "linear-attention"],
  ["rope-performer", "performer"],
];

/** D ln D, as the library rounds it. */
const featuresText = ({ model: { hidden_size, num_attention_heads } }) => {
  const width = hidden_size / num_attention_heads;
  return Math.round(width * Math.log(width));
};

export function linearSection(results) {
  const panels = Object.values(results.experiments.linear ?? {});
  if (panels.length === 0) return null;
  const named = panels.map((panel) => [panel, panel.task]);
  const drawing = lossFigure("Linear attention with and without rotation", named);
  const rows = named.flatMap(([panel, task]) => armRows(panel, task));
  const verdicts = panels.flatMap((panel) =>
    PAIRS.filter(([with_, without]) => panel.arms[with_] && panel.arms[without]).map(([with_, without]) => {
      const [a, b] = [panel.arms[with_], panel.arms[without]];
      return `- **${panel.task}**: ${a.label} ended at a loss of ${nats(a.loss[0])} (accuracy ${percent(a.accuracy[0])}), ${b.label} at ${nats(b.loss[0])} (${percent(b.accuracy[0])}).`;
    }),
  );
  const text = `## Linear attention with and without rotation

*linear*: equation 19 of the paper with phi(x) = elu(x) + 1, rotated in the numerator only. *Performer*: rotation before FAVOR+'s random features, as in the code that the paper's experiment used. The Performer has D ln D = ${featuresText(results)} random features a head, orthogonal, drawn once for each layer and never again. *No positions* is the same code with theta = 0, so that nothing else differs: it sees a bag of tokens, by construction. The question is what rotation adds to attention of these two kinds.

${image("linear", "Validation loss over steps of linear attention and Performer, rotated and not")}

${table(["task, attention", ...ARM_HEAD], rows)}

${verdicts.join("\n")}
`;
  return { text, figures: { linear: drawing } };
}
