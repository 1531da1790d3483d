// Trained short with RoPE, tested long with another frequency rule: extrapolation without more training.
import { figure } from "../figure.mjs";
import { accuracyText, allPanels, image, nats, percent, table } from "./words.mjs";

const RULES = ["default", "linear", "ntk", "dynamic", "yarn"];
export const FACTORS = [1, 2, 4];

/** The logarithmic axis of a panel over these lengths. */
export const lengthAxis = {
  xlabel: "test length / training length",
  x: [0, 2],
  xticks: FACTORS.map((factor) => ({ value: Math.log2(factor), text: `${factor}x` })),
};

/** "default" is the library's word for it. */
const nameOf = (rule) => (rule === "default" ? "no scaling" : rule);

const testOf = (arm, rule, factor) =>
  arm.tests[factor === 1 || rule === "default" ? `${factor}x` : `${factor}x ${rule}`];

function best(arm, factor) {
  const scored = RULES.map((rule) => ({ rule, accuracy: testOf(arm, rule, factor).accuracy[0] }));
  return scored.reduce((a, b) => (b.accuracy > a.accuracy ? b : a));
}

function verdict(id, arm) {
  const parts = [2, 4].map((factor) => {
    const { rule, accuracy } = best(arm, factor);
    const plain = testOf(arm, "default", factor);
    return rule === "default"
      ? `at ${factor} times the length no rule beat the unchanged frequencies (${percent(plain.accuracy[0])})`
      : `at ${factor} times the length ${rule} had ${percent(accuracy)} where the unchanged frequencies had ${percent(plain.accuracy[0])}`;
  });
  return `- **${id}**: ${parts.join("; ")}.${id === "period" ? RESONANCE : ""}`;
}

/** One period in training and test: a rule that maps it onto angles that the model knows wins, whatever its reach. */
const RESONANCE =
  " This task has one period, 5, in training and test. A rule wins at the lengths where it maps that period onto angles that the model has learned, and loses at others, as ntk does at 2 and at 4 times: this is resonance, and not the right rule for a length.";

const DYNAMIC =
  "Dynamic NTK computes its own from the length of the sequence, so that its rows equal those of NTK-aware.";

export function rulesSection(results) {
  const panels = allPanels(results).filter(([, panel]) => panel.arms.rope?.tests["2x yarn"]);
  const drawing = figure({
    title: "RoPE trained short and tested long, by frequency rule",
    description: "Accuracy at 1, 2 and 4 times the training length: median of the seeds, band from least to most.",
    columns: Math.min(panels.length, 2),
    panels: panels.map(([id, panel]) => ({
      title: `${id}: accuracy`,
      ...lengthAxis,
      y: [0, 1],
      dots: true,
      level: { value: panel.chance, text: "chance" },
      lines: RULES.map((rule) => ({
        label: nameOf(rule),
        points: FACTORS.map((factor) => [Math.log2(factor), ...testOf(panel.arms.rope, rule, factor).accuracy]),
      })),
    })),
  });
  const rows = panels.flatMap(([id, panel]) =>
    RULES.map((rule) => [
      `${id}, ${nameOf(rule)}`,
      ...FACTORS.flatMap((factor) => {
        const test = testOf(panel.arms.rope, rule, factor);
        return [accuracyText(test.accuracy), nats(test.loss[0])];
      }),
    ]),
  );
  const shortest = Math.min(...panels.map(([, { length }]) => length));
  const text = `## Frequency rules at test time

The RoPE models of the race and of the English were trained at one length. Here they are tested at 2 and 4 times that length, with only \`rope_scaling\` changed. Linear interpolation, NTK-aware and YaRN have that factor. ${DYNAMIC}

${image("rules", "Accuracy against test length for five frequency rules, one panel per task")}

${table(["task, rule", "1x accuracy, %", "loss", "2x accuracy, %", "loss", "4x accuracy, %", "loss"], rows)}

${panels.map(([id, panel]) => verdict(id, panel.arms.rope)).join("\n")}

Linear interpolation and YaRN are meant to be followed by a little fine-tuning; NTK-aware and dynamic NTK were proposed to do without it. All are meant for contexts of thousands of tokens, and YaRN's default ramp, from 32 turns to 1, suits those: at ${shortest} tokens it keeps the first pair, divides the second halfway and all others wholly, so that YaRN's rows say nothing against it. Here a model of two layers meets them unprepared at lengths of tens. Indicative only.
`;
  return { text, figures: { rules: drawing } };
}
