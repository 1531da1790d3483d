// The section about published weights, from docs/performance/published.json: { part: { run, groups, quality } }.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ratio } from "../harness/statistics.mjs";
import { digits, table, time } from "./markdown.mjs";
import { machineText, runText } from "./tables.mjs";

const fileOf = (root) => join(root, "docs/performance/published.json");

/** What was recorded, or nothing. */
export function readPublished(root) {
  return existsSync(fileOf(root)) ? JSON.parse(readFileSync(fileOf(root), "utf8")) : {};
}

/** Five digits: more would be noise. */
const rounded = (_, value) =>
  typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;

export function writePublished(root, parts) {
  writeFileSync(fileOf(root), `${JSON.stringify(parts, rounded, 1)}\n`);
}

/** Rows of the table: group, words, Ropewalk's row and the rival's. */
const COMPARED = [
  ["texts", "82 texts, float32", "ropewalk-float32", "transformers-float32"],
  ["texts", "82 texts, 8 bits", "ropewalk-int8", "transformers-int8"],
  ["query", "one short query, float32", "ropewalk-float32", "transformers-float32"],
  ["query", "one short query, 8 bits", "ropewalk-int8", "transformers-int8"],
  ["first", "from import to the first vector, float32", "ropewalk-float32", "transformers-float32"],
  ["first", "from import to the first vector, 8 bits", "ropewalk-int8", "transformers-int8"],
  ["write/chromium", "Gemma 3 270M, one token written", "ropewalk", "wllama"],
  ["write/chromium", "Gemma 3 270M, one token written", "ropewalk-screen", "wllama"],
  ["write/chromium", "Gemma 3 270M, one token written", "ropewalk", "llama"],
  ["write/chromium", "Gemma 3 270M, one token written", "ropewalk-screen", "llama"],
  ["read/chromium", "Gemma 3 270M, a prompt of 256 tokens", "ropewalk", "wllama"],
  ["read/chromium", "Gemma 3 270M, a prompt of 256 tokens", "ropewalk", "llama"],
  ["write/node", "Gemma 3 270M in Node, one token written", "ropewalk", "llama"],
  ["write/node", "Gemma 3 270M in Node, one token written", "ropewalk-screen", "llama"],
  ["write/node", "Gemma 3 270M in Node, one token written", "native", "llama"],
  ["write/node", "Gemma 3 270M in Node, one token written", "native-screen", "llama"],
  ["read/node", "Gemma 3 270M in Node, a prompt of 256 tokens", "ropewalk", "llama"],
  ["read/node", "Gemma 3 270M in Node, a prompt of 256 tokens", "native", "llama"],
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
  const rows = publishedRatios(parts).map(({ words, own, other, ratio: times }) => [
    words,
    `${said(own)} (${own.label})`,
    `${said(other)} (${other.label})`,
    times ? digits(times.median) : "",
    times ? `${digits(times.low)} .. ${digits(times.high)}` : "",
  ]);
  return table(["what", "Ropewalk", "compared with", "times as fast", "quartiles"], rows, "lrrrr");
}

const megabytes = (bytes) => `${digits(bytes / 1e6)} MB`;

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

/** The machines, each once, and the run of each part. */
function runTexts(parts) {
  const runs = Object.entries(parts).map(([name, { run }]) => ({ name, run }));
  const machines = [...new Set(runs.map(({ run }) => machineText(run)))];
  return machines.flatMap((text) => [
    text,
    "",
    ...runs
      .filter(({ run }) => machineText(run) === text)
      .map(({ name, run }) => `- ${name}: \`${run.command}\`, ${Math.round(run.took / 1000)} s. ${runText(run)}`),
    "",
  ]);
}

/** Lines of Markdown; none where nothing was recorded. */
export function publishedSection(parts) {
  if (Object.keys(parts).length === 0) return [];
  return [
    "## Published weights",
    "",
    "Models that people have, in Chromium or in Node, on one thread, through the public call of each package: `embed` and",
    "`generate` compared with the pipeline of transformers.js, the completion of wllama, and llama.cpp in native code, which",
    "node-llama-cpp runs outside of the page. Files come from the same machine. Text is part of the work. Ropewalk and",
    "transformers.js read all-MiniLM-L6-v2 from the same float32 weights; transformers.js' q8 is those weights as",
    "`quantize_dynamic` of onnxruntime writes them with `per_channel` and `reduce_range`. Gemma's weights are one GGUF file",
    "of type Q4_K_M, which Ropewalk re-quantises to 8 bits while it loads. The option `screen` leaves most rows of its output",
    "matrix unread; the tokens are the same.",
    "",
    ratioTable(parts),
    "",
    ...failed(parts),
    "",
    ...(parts.encoders ? [qualityTable(parts), ""] : []),
    "The nearest ten and the cosine are those of 82 texts, compared with sentence-transformers in float64; see [published",
    "weights](published.md), which compares more.",
    "",
    ...runTexts(parts),
  ];
}
