// docs/results.md and its figures, from the data alone: no number in it is typed by hand.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { causalSection } from "./report/causal.mjs";
import { documentsSection } from "./report/documents.mjs";
import { dropeSection } from "./report/drope.mjs";
import { englishSection } from "./report/english.mjs";
import { farSection } from "./report/far.mjs";
import { fineTuningSection } from "./report/fine-tuning.mjs";
import { linearSection } from "./report/linear.mjs";
import { newerSection } from "./report/newer.mjs";
import { appendix, protocolSection } from "./report/protocol.mjs";
import { raceSection } from "./report/race.mjs";
import { receptiveSection } from "./report/receptive.mjs";
import { rulesSection } from "./report/rules.mjs";
import { structureSection } from "./report/structure.mjs";
import { throughputSection } from "./report/throughput.mjs";
import { translationSection } from "./report/translation.mjs";
import { allPanels, list } from "./report/words.mjs";

const present = (results, id) => results.experiments[id] !== undefined;

/** The experiments of the paper that are here, and those that are missing, in words. */
function measuredText(results) {
  const words = { translation: "the translation", "fine-tuning": "fine-tuning", documents: "the long documents" };
  const here = ["the curves"];
  const missing = [];
  for (const [id, name] of Object.entries(words)) (present(results, id) ? here : missing).push(name);
  return `Here are ${list(here)}${missing.length > 0 ? `, not ${list(missing)},` : ""}`;
}

/** The commit and date of each experiment that names its own. */
function recordedText({ recorded = {} }) {
  const groups = new Map();
  for (const [id, { commit, date }] of Object.entries(recorded)) {
    const where = `${commit} on ${date}`;
    groups.set(where, [...(groups.get(where) ?? []), `*${id}*`]);
  }
  const texts = [...groups].map(([where, ids]) => `${list(ids)} at ${where}`);
  return texts.length > 0 ? ` Recorded: ${texts.join("; ")}.` : "";
}

/** "28 to 273", in thousands, over all arms. */
function parametersText(results) {
  const counts = allPanels(results).flatMap(([, { arms }]) =>
    Object.values(arms).map(({ parameters }) => parameters / 1000),
  );
  return `${Math.min(...counts).toFixed(0)} to ${Math.max(...counts).toFixed(0)}`;
}

const command = (results) => `npm run experiments${results.plan === "quick" ? " -- --quick" : ""}`;

function introduction(results) {
  return `# Position encodings in miniature

*Written by \`${command(results)}\` from [results/results.json](results/results.json); change the tool, not this file.*

A position encoding is the way in which a transformer knows the order of its words. *The paper* is RoFormer (Su et al., arXiv 2104.09864), which introduced rotary position embeddings (RoPE). Its experiments are a translation, two curves of training loss, fine-tuning on GLUE and long documents. ${measuredText(results)} in miniature: models of ${parametersText(results)} thousand parameters on tasks made from a seed, on a processor, in minutes. They show how the encodings differ where the difference can be understood; they are not evidence about models a thousand times as large.

Run by \`${command(results)}\` on ${results.machine.processor} (${results.machine.processors} processors). Its ${results.cost.runs} runs, those that choose the rates included, computed for ${(results.cost.seconds / 60).toFixed(0)} minutes of one core.${recordedText(results)} The same command resumes where it was interrupted. Medians of ${results.seeds.length} seeds; the same seeds give the same numbers with the same version on a machine of the same vector architecture.

The encodings: *RoPE* rotates queries and keys by their positions. *Receptive field* is RoPE with two learned numbers, alpha and rho, for each head ([below](#the-receptive-field-trained)). *Transformer-XL* scores sines of the distance by learned weights, *T5 bias* adds a learned number for each range of distances, and *ALiBi* subtracts a multiple of the distance. *Sinusoidal* and *learned* add a vector for each position to the words.
`;
}

const closing = `## Limits of these results

All models are tiny, and each experiment has one size of model and one schedule. Runs have at most a few thousand steps, rates were chosen on one to three seeds, and results come from five. Steps to convergence on made-up tasks say how easily an encoding expresses what the task needs; they do not predict loss on natural text at scale.

RoFormer's authors name two things that they cannot explain: why RoPE converges faster, and why it does better on long texts. The race shows one possible reason for the first: a query can ask for a content and an offset in one layer, where learned and sinusoidal positions have to learn each position apart. On the second these results say little: RoPE is ahead at fixed distances that training had. Where the text is longer than in training, it depends on the task which encoding is ahead ([above](#longer-than-trained)). The decay of the score with distance is often named as a reason; nothing here tests that, and Barbero et al. (arXiv 2410.06205) argue against it.
`;

/** { markdown, figures: { name: svg } } */
export function render(results, throughput) {
  const sections = [
    raceSection(results),
    rulesSection(results),
    structureSection(results),
    newerSection(results),
    englishSection(results),
    translationSection(results),
    fineTuningSection(results),
    documentsSection(results),
    linearSection(results),
    causalSection(results),
    dropeSection(results),
    receptiveSection(results),
    farSection(results),
  ].filter(Boolean);
  const texts = [
    introduction(results),
    protocolSection(results),
    ...sections.map(({ text }) => text),
    closing,
    throughputSection(throughput),
    appendix(results),
  ].filter(Boolean);
  const markdown = texts.join("\n").replace(/\n{3,}/g, "\n\n");
  return { markdown, figures: Object.assign({}, ...sections.map(({ figures }) => figures)) };
}

/** Writes results.md into a folder, and the figures beside the data in its `results`. */
export function writeReport(folder, results, throughput) {
  const { markdown, figures } = render(results, throughput);
  mkdirSync(join(folder, "results"), { recursive: true });
  for (const [name, svg] of Object.entries(figures)) writeFileSync(join(folder, "results", `${name}.svg`), svg);
  writeFileSync(join(folder, "results.md"), markdown);
}
