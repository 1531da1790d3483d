// docs/performance.md, and the page of all tables of the built documentation, from the recorded results and the notes that
// were written by hand.
import { readFileSync, writeFileSync } from "node:fs";
import { rounded, table } from "../../../tools/markdown.mjs";
import { fromRoot, projectRoot } from "../../../tools/setup/environment.mjs";
import { say } from "../../../tools/setup/progress.mjs";
import { contractRows } from "./contracts.mjs";
import { decodersSection } from "./decoders.mjs";
import { modelsSection, modelsTables } from "./models.mjs";
import { feltRows, feltTable, overviewPicture } from "./overview.mjs";
import { publishedSection, readPublished } from "./published.mjs";
import { merged, mergedContracts, runsOf } from "./runs.mjs";
import { droppedText, shortText } from "./shortfalls.mjs";
import { contractTable, machineText, measurementTable, runTable, verdictCounts } from "./tables.mjs";

const tidy = (lines) => `${lines.join("\n").replace(/\n{3,}/g, "\n\n")}\n`;

const INTRODUCTION = [
  "# Performance",
  "",
  "Written by `npm run bench -- --document` from [results.json](performance/results.json) and",
  "[notes.json](performance/notes.json). The documentation that `npm start` builds has a page *Performance tables* with every",
  "target and every figure. All are from servers with an AMD EPYC with AVX-512, of which two cores were used. No phone, laptop",
  "or ARM processor was measured.",
  "",
];

const SHAPES = [
  "Rotations have four shapes [batch, sequence, heads, channels]: **A** a short prompt [1, 128, 12, 64], **B** a long one [1, 2048,",
  "32, 128], **C** one token [1, 1, 32, 128], **D** a batch [8, 512, 12, 64]. *half* and *interleaved* are the two pairings.",
];

const METHOD = [
  "Results are checked before they are timed: against float64, those of models against the package's own float32. wllama gives",
  "only text, which was not compared. Samples of all that is compared are taken in turn, in one process; a figure is the",
  'median. An "op alone" is the time of nine chained nodes less that of one, divided by eight, which leaves out the call and',
  "its copies. Quartiles of a ratio are the worst and the best case: the lower quartile of one time against the upper of the",
  "other. A row is *met* only if the worse quartile meets the target, *within the spread* if only the better one does.",
  "",
  "The time of a rotation depends on the candidates that are sampled in turn with it, because they leave the caches in another",
  "state: one rotation of shape B took 4.4 ms among eleven candidates and 2.3 ms among three. So every time of a rotation is",
  "that of the suite *rotation*. Other suites give shares within a group only.",
];

/** `published`: docs/performance/published.json. */
export function documentText(results, notes, published = {}) {
  const { groups, contracts, failures } = results;
  const [machine] = [...runsOf(groups).map((run) => run.machine), results.machine];
  return tidy([
    ...INTRODUCTION,
    ...publishedSection(published),
    "## What you feel",
    "",
    "Each row says how many times as fast Ropewalk is as the package that it names, on one thread: above 1 Ropewalk is faster. Models have the shapes of the published ones and random weights. *int8* and *q8* are weights of 8 bits, as Ropewalk and onnxruntime name them, and a Tensor is an array in the module's own memory. A target is *met* if the worse quartile reaches it, and *within the spread* if only the better one does.",
    "",
    "![Ropewalk compared with what one would use instead: a bar for each row of the table below](performance/overview.svg)",
    "",
    "A bar reaches from 1, as fast as the other, to the median; the line over it spans the quartiles, and the mark is the",
    "target. Bars in the second colour fall short of it.",
    "",
    feltTable(feltRows(contracts)),
    "",
    "## How it was measured",
    "",
    machineText(machine),
    "",
    runTable(results),
    "",
    ...METHOD,
    "",
    ...SHAPES,
    "",
    "## Targets that are not met, and why",
    "",
    `${verdictCounts(contracts)}.`,
    'Each line says what is compared, on which host, the measured figures and, after *for*, the target. *x* stands for "times as',
    'fast as", and *of* for a share of that speed. A figure may reach its target and stand here: then its worse quartile does not.',
    "",
    ...shortText(contracts, notes),
    ...failures.map(({ host, suite, why }) => `- ${suite} in ${host} failed: ${why}`),
    "",
    "## Targets that were dropped",
    "",
    "These comparisons have no target, because this hardware cannot reach one or because another row tests the same thing.",
    "",
    ...droppedText(contracts, notes),
    "",
    ...modelsSection(groups),
    ...decodersSection(groups),
  ]);
}

/** Markdown of the page that the built documentation has beside docs/performance.md. */
export function tablesText(results) {
  const { contracts, groups, sizes } = results;
  const sizeRows = sizes.loads.map(({ name, files, raw, gzipped, limit }) => [
    name,
    files.join(" + "),
    raw,
    gzipped,
    limit,
  ]);
  return tidy([
    "# Performance tables",
    "",
    "Every row and every figure of [Performance](performance.md), from its [data](performance/results.json).",
    "",
    "## The whole contract",
    "",
    `${verdictCounts(contracts)}.`,
    "",
    contractTable(contracts),
    "",
    ...modelsTables(groups),
    "## All figures",
    "",
    "GB/s counts each number once as read and once as written, whatever really moves.",
    "",
    measurementTable(groups),
    "",
    "## Sizes",
    "",
    "Bytes of what is loaded together, raw and gzipped; `tests/package/sizes.test.ts` holds them to the budget.",
    "",
    table(["what", "files", "raw", "gzipped", "budget, gzipped"], sizeRows, "llrrr"),
    "",
    table(
      ["file", "raw", "gzipped"],
      sizes.files.map(({ file, raw, gzipped }) => [file, raw, gzipped]),
      "lrr",
    ),
  ]);
}

const pathOf = (name) => fromRoot("docs/performance", name);
const readJson = (name) => JSON.parse(readFileSync(pathOf(name), "utf8"));
const writeResults = (results) => writeFileSync(pathOf("results.json"), `${JSON.stringify(results, rounded(5))}\n`);

/** Writes the document of a whole run, which replaces all that was recorded. */
export async function writeDocument(results) {
  const { measure, measureFiles } = await import("../../../tools/package/sizes.mjs");
  writeResults({ ...results, sizes: { loads: measure(projectRoot()), files: measureFiles(projectRoot()) } });
  redocument();
}

/** Writes the document of some suites: their groups and rows of the contract replace those recorded. */
export async function addToDocument(results) {
  const recorded = readJson("results.json");
  const all = merged(recorded, results);
  const contracts = mergedContracts(recorded.contracts, contractRows(results.groups), contractRows(all.groups));
  await writeDocument({ ...all, contracts });
}

/** docs/performance.md again, from what is there: the contract is that of today, held against the recorded figures. */
export function redocument() {
  const recorded = readJson("results.json");
  writeResults({ ...recorded, contracts: contractRows(recorded.groups) });
  // As they are written, rounded.
  const results = readJson("results.json");
  const text = documentText(results, readJson("notes.json"), readPublished());
  writeFileSync(pathOf("overview.svg"), overviewPicture(feltRows(results.contracts)));
  writeFileSync(fromRoot("docs/performance.md"), text);
  say("Written: docs/performance.md");
}
