// Long documents: pre-trained in stages of growing length, then matched by what stands in their first tokens.
import { figure } from "../figure.mjs";
import { accuracyText, bandText, image, list, lowerIn, nats, percent, table } from "./words.mjs";

const panelsOf = (experiment, prefix) =>
  Object.entries(experiment).flatMap(([id, panel]) => (id.startsWith(prefix) ? [panel] : []));

/** Validation loss over the steps of all stages, each at its own length: [{ label, points: [step, median, least, most] }]. */
export function stageLines(experiment) {
  const stages = panelsOf(experiment, "stage-");
  const begins = stages.map((_, i) => stages.slice(0, i).reduce((sum, { steps }) => sum + steps, 0));
  return Object.keys(stages[0].arms).map((id) => ({
    label: stages[0].arms[id].label,
    points: stages.flatMap(({ arms }, i) =>
      arms[id].curves.step.map((step, at) => [begins[i] + step, ...arms[id].curves.loss[at]]),
    ),
  }));
}

/** Share of right choices over the tokens that are read. */
export function inputLines(experiment) {
  const inputs = panelsOf(experiment, "input-");
  return Object.keys(inputs[0].arms).map((id) => ({
    label: inputs[0].arms[id].label,
    points: inputs.map(({ length, arms }) => [length, ...arms[id].tests.anywhere.accuracy]),
  }));
}

function stagesPanel(experiment, stages) {
  const lines = stageLines(experiment);
  const most = Math.max(...lines.flatMap(({ points }) => points.map(([, median]) => median)));
  return {
    title: `pre-training at ${list(stages.map(({ length }) => String(length)))} tokens: loss`,
    xlabel: "steps of all stages",
    x: [0, stages.reduce((sum, { steps }) => sum + steps, 0)],
    y: [0, Math.ceil(most)],
    lines,
  };
}

/** Tokens on a logarithmic axis. */
function inputsPanel(experiment, inputs) {
  const lines = inputLines(experiment).map(({ label, points }) => ({
    label,
    points: points.map(([length, ...band]) => [Math.log2(length), ...band]),
  }));
  return {
    title: "matching: share of right choices",
    xlabel: "tokens that are read of a document",
    x: [Math.log2(inputs[0].length), Math.log2(inputs.at(-1).length)],
    y: [0, 1],
    xticks: inputs.map(({ length }) => ({ value: Math.log2(length), text: String(length) })),
    level: { value: inputs[0].chance, text: "chance" },
    dots: true,
    lines,
  };
}

function stagesTable(stages) {
  const ids = Object.keys(stages[0].arms);
  const rows = ids.flatMap((id) =>
    stages.map(({ length, steps, arms }) => [
      `${arms[id].label}, after ${steps} at ${length}`,
      bandText(arms[id].loss, nats),
      accuracyText(arms[id].accuracy),
      ...Object.values(arms[id].tests).map(({ loss }) => bandText(loss, nats)),
    ]),
  );
  const lengths = Object.keys(stages[0].arms[ids[0]].tests);
  return table(["after each stage", "validation loss", "accuracy, %", ...lengths.map((name) => `at ${name}`)], rows);
}

function inputsTable(inputs) {
  const ids = Object.keys(inputs[0].arms);
  const tests = Object.keys(inputs[0].arms[ids[0]].tests);
  const rows = ids.flatMap((id) =>
    inputs.map(({ length, arms }) => [
      `${arms[id].label}, first ${length} tokens`,
      ...tests.map((name) => accuracyText(arms[id].tests[name].accuracy)),
    ]),
  );
  return table(["model reads", ...tests.map((name) => `account ${name === "anywhere" ? name : `at ${name}`}`)], rows);
}

function stageVerdict({ length, arms: { rope, learned } }) {
  return `- After the stage at ${length} tokens RoPE's validation loss was ${nats(rope.loss[0])} and that of learned positions ${nats(learned.loss[0])}; RoPE's was lower in ${lowerIn(rope, learned)} pairs that share a seed.`;
}

/** How the first stage fares at the longest documents, which it has not met. */
function beyondVerdict(stages) {
  const { rope, learned } = stages[0].arms;
  const name = `${stages.at(-1).length} tokens`;
  const [a, b] = [rope, learned].map((arm) => arm.tests[name].loss[0]);
  const less = a < b ? "RoPE" : "learned positions";
  return `- **Without the longer stages**: trained at ${stages[0].length} tokens and tested at ${stages.at(-1).length}, RoPE had a loss of ${nats(a)} and learned positions ${nats(b)}. The lower one is that of ${less}.`;
}

function inputVerdict(inputs, id) {
  const [short, long] = [inputs[0], inputs.at(-1)];
  const of = (panel) => panel.arms[id].tests.anywhere.accuracy;
  const text = (panel) =>
    `with the first ${panel.length} tokens ${accuracyText(of(panel))} % of the choices were right`;
  const gained = of(long)[1] > of(short)[2];
  return `- **${short.arms[id].label}**: ${text(short)}, ${text(long)}. ${gained ? "The long input was better in every pair of seeds." : "The bands overlap: the long input was not reliably better."}`;
}

/** Nobody can know what the input does not hold. */
const bestText = (inputs) => list(inputs.map(({ length, best }) => `${percent(best[0])} with ${length} tokens`));

export function documentsSection(results) {
  const experiment = results.experiments.documents;
  if (!experiment) return null;
  const [stages, inputs] = [panelsOf(experiment, "stage-"), panelsOf(experiment, "input-")];
  const drawing = figure({
    title: "Long documents: pre-training in stages, and matching",
    description:
      "Left: validation loss in nats over the steps of all stages, each at its own length. Right: share of right choices against the tokens that are read. Median of the seeds, band from least to most.",
    panels: [stagesPanel(experiment, stages), inputsPanel(experiment, inputs)],
  });
  const { batch, steps, test_rows } = inputs[0];
  const text = `## Long documents

Tables 3 to 5 of the paper pre-train RoFormer on Chinese text in stages of different lengths, and then ask which of two legal cases is more like a third, from the first 512 or the first 1024 tokens of each. Here a document has ${Math.max(...inputs.map(({ length }) => length))} tokens of generated English, and an account of who did what to whom: 8 names and 4 verbs in 4 sentences, each in the active or the passive. No other sentence has a name.

**Pre-training in stages.** The documents give their account again and again, each time in another order and with other sentences in the passive, so that a hidden name can be found in another copy of the account, if one is within the input. Masked language modelling at ${list(stages.map((stage) => `${stage.length} tokens (${stage.steps} steps of ${stage.batch} documents)`))}; each stage begins with the weights of the one before. Every stage is tested at all lengths, in nats:

${image("documents", "Validation loss over the stages of pre-training, and right choices against the length of the input")}

${stagesTable(stages)}

${stages.map(stageVerdict).join("\n")}
${beyondVerdict(stages)}

**Matching.** Each document gives its account once. Of four documents two give the same account in other words; in the other two agent and patient have changed places in every sentence. A document becomes one vector, the largest value of each channel over its tokens, which InfoNCE, a loss that draws the vectors of matching documents together, trains for ${steps} steps of ${batch} documents from the weights of the last stage. Which of two documents is nearer to a third? Only their first tokens are read, in training as in the test, so that an account beyond them is not seen. Accounts stand in one of four stretches, equally often, so that on average no model can be right in more than ${bestText(inputs)}. Right choices in per cent, of ${test_rows} in each column, by where the account stands:

${inputsTable(inputs)}

${Object.keys(inputs[0].arms)
  .map((id) => inputVerdict(inputs, id))
  .join("\n")}

If the account lies beyond the input, the model can only guess. The question is whether reading more helps despite the extra tokens. Rates were tuned on one seed, so arms that never solve the task may have a poor rate.
`;
  return { text, figures: { documents: drawing } };
}
