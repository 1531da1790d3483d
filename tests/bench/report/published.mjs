// The section about published weights, from docs/performance/published.json: { part: { run, groups, quality } }.
import { readFileSync, writeFileSync } from "node:fs";
import { digits, megabytes, rounded, table, time } from "../../../tools/markdown.mjs";
import { fromRoot } from "../../../tools/setup/environment.mjs";
import { ratio } from "../harness/statistics.mjs";
import { machineText } from "./tables.mjs";

const FILE = fromRoot("docs/performance/published.json");

export const readPublished = () => JSON.parse(readFileSync(FILE, "utf8"));

export const writePublished = (parts) => writeFileSync(FILE, `${JSON.stringify(parts, rounded(5), 1)}\n`);

const WRITTEN = "Gemma 3 270M, one token written";
const READ = "Gemma 3 270M, a prompt of 256 tokens";

/** Rows of the table: group, words, Ropewalk's row and the rival's. */
const COMPARED = [
  ["texts", "82 texts, float32", "ropewalk-float32", "transformers-float32"],
  ["texts", "82 texts, 8 bits", "ropewalk-int8", "transformers-int8"],
  ["query", "one short query, float32", "ropewalk-float32", "transformers-float32"],
  ["query", "one short query, 8 bits", "ropewalk-int8", "transformers-int8"],
  ["first", "from import to the first vector, float32", "ropewalk-float32", "transformers-float32"],
  ["first", "from import to the first vector, 8 bits", "ropewalk-int8", "transformers-int8"],
  ["write/chromium", WRITTEN, "ropewalk", "wllama"],
  ["write/chromium", WRITTEN, "ropewalk", "llama"],
  ["write/chromium", WRITTEN, "ropewalk-screen", "llama"],
  ["read/chromium", READ, "ropewalk", "wllama"],
  ["write/node", WRITTEN, "ropewalk", "llama"],
  ["write/node", WRITTEN, "ropewalk-screen", "llama"],
  ["write/node", WRITTEN, "native-screen", "llama"],
  ["read/node", READ, "ropewalk", "llama"],
  ["read/node", READ, "native", "llama"],
];

/** [{ group, words, own, other, ratio }] of what was measured: how many times as fast Ropewalk is, with quartiles. */
export function publishedRatios(parts) {
  const groups = Object.values(parts).flatMap((part) => part.groups);
  return COMPARED.flatMap(([key, words, ownKey, otherKey]) => {
    const rows = groups.find((group) => group.key === key)?.rows ?? [];
    const [own, other] = [ownKey, otherKey].map((each) => rows.find((row) => row.key === each));
    if (own === undefined || other === undefined) return [];
    const measured = own.error === undefined && other.error === undefined;
    return [{ group: key, words, own, other, ratio: measured ? ratio(other, own) : undefined }];
  });
}

const said = (row) => (row.error === undefined ? time(row.median) : "did not run");

function ratioTable(parts) {
  const rows = publishedRatios(parts).map(({ group, words, own, other, ratio: times }) => [
    group.endsWith("/node") ? `${words}, in Node` : words,
    `${said(own)} (${own.label})`,
    `${said(other)} (${other.label})`,
    times ? digits(times.median) : "",
    times ? `${digits(times.low)} .. ${digits(times.high)}` : "",
  ]);
  return table(["what", "Ropewalk", "compared with", "times as fast", "quartiles"], rows, "lrrrr");
}

function qualityTable({ encoders, first }) {
  const loaded = new Map((first?.groups[0].rows ?? []).map((row) => [row.key, row]));
  const labels = new Map(encoders.groups[0].rows.map(({ key, label }) => [key, label]));
  const rows = Object.entries(encoders.quality).map(([key, { neighboursKept, leastCosine, largestDifference }]) => [
    labels.get(key),
    `${digits(100 * neighboursKept)} %`,
    leastCosine.toFixed(5),
    largestDifference < 1e-3 ? largestDifference.toExponential(1) : digits(largestDifference),
    loaded.get(key)?.weights ? megabytes(loaded.get(key).weights) : "",
    loaded.get(key)?.code ? megabytes(loaded.get(key).code) : "",
  ]);
  const head = [
    "all-MiniLM-L6-v2",
    "nearest ten kept",
    "least cosine",
    "largest difference",
    "weights read",
    "code read",
  ];
  return table(head, rows, "lrrrrr");
}

const failed = (parts) =>
  publishedRatios(parts).flatMap(({ words, own, other }) =>
    [own, other].flatMap(({ label, error }) => (error === undefined ? [] : [`- ${label}, ${words}: ${error}`])),
  );

/** [[key, items]], in the order in which the keys come. */
function grouped(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups];
}

/** The machines, each once, with the commits that were measured there and how long and how busy each part was. */
function runTexts(parts) {
  const runs = Object.entries(parts).map(([name, { run }]) => ({ name, ...run }));
  return grouped(runs, machineText).flatMap(([machine, measured]) => [
    machine,
    ...grouped(measured, ({ command, commit, date }) => `\`${command}\`, commit ${commit}, ${date}`).map(
      ([what, parts]) => `${what}: ${parts.map(partText).join("; ")}.`,
    ),
    "",
  ]);
}

const partText = ({ name, took, loadBefore, loadAfter }) =>
  `${name} ${Math.round(took / 1000)} s, load ${loadBefore} to ${loadAfter}`;

/** Lines of Markdown; none where nothing was recorded. */
export function publishedSection(parts) {
  if (Object.keys(parts).length === 0) return [];
  return [
    "## Published weights",
    "",
    "Here published models run in Chromium or in Node, on one thread, by the public call of each package: `embed` and",
    "`generate` of Ropewalk, the pipeline of transformers.js, the completion of wllama, and llama.cpp as native code, which",
    "node-llama-cpp runs outside of the page. Files come from the same machine, and times include turning texts into tokens.",
    "The benchmark writes the ONNX files of transformers.js itself, from the same float32 weights of all-MiniLM-L6-v2; q8 is",
    "what `quantize_dynamic` of onnxruntime makes of them with `per_channel` and `reduce_range`. Gemma's weights are one GGUF file",
    "of type Q4_K_M, which Ropewalk re-quantises to 8 bits while it loads. The option `screen` leaves most rows of its output",
    "matrix unread; the tokens are the same.",
    "",
    ratioTable(parts),
    "",
    ...failed(parts),
    "",
    ...(parts.encoders ? [qualityTable(parts), ""] : []),
    "The nearest ten and the cosine are those of 82 texts, compared with sentence-transformers in float64; see [published",
    "weights](published.md), which compares more. Ropewalk and sentence-transformers cut a text at 256 tokens, as the model's",
    "files say. transformers.js reads up to 512, as `tokenizer_config.json` says: so its vectors of the few texts that are longer",
    "differ in float32 as well, and its times of all 82 texts include those tokens. Code read includes the vocabulary. Ropewalk's",
    "int8 reads the float32 file and rounds it while it loads; a file in int8 is a quarter as large.",
    "",
    ...runTexts(parts),
  ];
}
