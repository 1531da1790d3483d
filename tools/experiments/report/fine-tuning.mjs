// Pre-trained as masked language models, fine-tuned on tasks in the manner of GLUE: RoPE against absolute positions.
import { middle } from "../summary.mjs";
import { lossFigure } from "./race.mjs";
import { bandText, hundredfold, image, list, lowerIn, nats, scoreText, table } from "./words.mjs";

const WHAT = {
  acceptability: "does the verb agree with its subject, another noun standing between them (as CoLA)?",
  coreference: "does the second sentence follow, whose pronoun is the subject's or the other noun's (as RTE)?",
  similarity: "how many of agent, verb and patient are the same in two sentences, active or passive (as STS-B)?",
};

const METRICS = { matthews: "Matthews", pearson: "Pearson", spearman: "Spearman", accuracy: "accuracy" };

const METRICS_TEXT =
  " The metrics are GLUE's: Matthews' correlation for acceptability (as CoLA), accuracy for coreference (as RTE), Pearson's and Spearman's correlations for similarity (as STS-B), all times 100. A model that gives every line the same answer has a correlation of 0. GLUE's F1 is for paraphrases (MRPC and QQP), of which there is no task here.";

/** GLUE's metrics of a task, in hundredths as GLUE gives them: the one by which it ranks comes first. */
function metricsText({ scores }) {
  return Object.entries(scores)
    .map(([name, seeds]) => `${METRICS[name]} ${scoreText(seeds, hundredfold)}`)
    .join("; ");
}

function verdict(id, panel) {
  const { rope, learned } = panel.arms;
  const apart = rope.loss[2] < learned.loss[1] || learned.loss[2] < rope.loss[1];
  return `- **${id}**: RoPE's validation loss was lower in ${lowerIn(rope, learned)} pairs that share a seed; the bands ${apart ? "do not overlap" : "overlap"}.`;
}

/** The score that GLUE ranks by, of the median seed. */
const ranked = ({ tests }) => middle(Object.values(tests["1x"].scores)[0]);

/** The outcome against the paper's order, and the tasks that neither model solves, in sentences. */
function outcome(tasks) {
  const pairs = Object.entries(tasks).map(([id, { arms }]) => ({
    id,
    rope: ranked(arms.rope),
    learned: ranked(arms.learned),
  }));
  const ahead = pairs.filter(({ rope, learned }) => rope > learned);
  const said =
    ahead.length === 0
      ? "by the medians learned positions were level or better on all of them"
      : `by the medians RoPE was ahead on ${list(ahead.map(({ id }) => id))} alone`;
  const unsolved = pairs.filter(({ rope, learned }) => Math.max(rope, learned) < 0.5).map(({ id }) => `*${id}*`);
  const open = unsolved.length > 0 ? ` Neither model solves ${list(unsolved)}, so that row compares nothing.` : "";
  return `**Table 2 is not reproduced.** The paper's RoFormer beats BERT on three of six tasks (MRPC, STS-B, QQP) and loses on three (SST-2, QNLI, MNLI); here ${said}, although RoPE's loss in pre-training is lower.${open} One seed chose each rate, and some scores lie at both ends of the scale (Matthews 0 and 100): the rate may be one at which training can fail.`;
}

export function fineTuningSection(results) {
  const experiment = results.experiments["fine-tuning"];
  if (!experiment) return null;
  const { "pre-training": pretraining, ...tasks } = experiment;
  const drawing = lossFigure(
    "Fine-tuning on generated tasks in the manner of GLUE",
    Object.entries(experiment).map(([id, panel]) => [panel, id]),
    {
      description: "Validation loss over steps on a logarithmic axis: median of the seeds, band from least to most.",
      columns: 2,
    },
  );
  const rows = Object.entries(tasks).flatMap(([id, panel]) =>
    Object.values(panel.arms).map((arm) => [
      `${id}, ${arm.label}`,
      metricsText(arm.tests["1x"]),
      bandText(arm.tests["1x"].loss, nats),
    ]),
  );
  const before = Object.values(pretraining.arms).map((arm) => `${arm.label} ${bandText(arm.loss, nats)}`);
  const first = Object.values(tasks)[0];
  const text = `## Fine-tuning: RoFormer against absolute positions

Table 2 of the paper fine-tunes RoFormer and BERT on six tasks of GLUE. Here two models that differ in their positions alone are trained alike on the generated English as masked language models, ${pretraining.steps} steps of ${pretraining.batch} x ${pretraining.length} tokens (validation loss: ${list(before)}), and each then learns ${Object.keys(tasks).length} tasks from 2000 lines, ${first.steps} steps of ${first.batch} lines, at a rate of its own for each task:

${Object.entries(tasks)
  .map(([id]) => `- *${id}*: ${WHAT[id]}`)
  .join("\n")}

${image("fine-tuning", "Validation loss over steps of pre-training and of the tasks, RoPE and learned positions")}

The scores are those of ${first.test_rows} lines from a stream of their own; the [protocol](#protocol) says how many of them training had as well. The first two tasks ask for one of two answers, equally likely; the third for a number between 0 and 1, and its loss is the mean squared error.${METRICS_TEXT}

${table(["task, positions", "GLUE's metrics", "test loss"], rows)}

${Object.entries(tasks)
  .map(([id, panel]) => verdict(id, panel))
  .join("\n")}

${outcome(tasks)}
`;
  return { text, figures: { "fine-tuning": drawing } };
}
