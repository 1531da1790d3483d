// The section about encoders of true shapes; groups that were not measured are left out.

import { digits, megabytes, table, time } from "../../../tools/markdown.mjs";
import { MODELS } from "../models/shapes.mjs";
import { timed } from "./tables.mjs";

const ownOf = (groups) => groups.filter(({ suite }) => suite === "models");
const groupAt = (groups, key, host = "node") => groups.find((group) => group.host === host && group.key === key);

/** Lines of Markdown for docs/performance.md, none without groups of the suite. */
export function modelsSection(groups) {
  const own = ownOf(groups);
  if (own.length === 0) return [];
  return ["## Encoders", "", ...nativeText(own), ...firstVectorText(own.filter(({ key }) => key === "first-vector"))];
}

/** The same of every shape, for the page of tables. */
export function modelsTables(groups) {
  const own = ownOf(groups);
  if (own.length === 0) return [];
  return [
    "## Encoders",
    "",
    "Encoders of the true shapes of MiniLM-L6 and ModernBERT-base with random weights, the same in every engine, from ids",
    "to the last hidden states of one text, on one thread. Before it is timed each result is compared with that of the",
    'package in float32; the last column is the lowest cosine of the row. "q8" is what transformers.js calls so: dynamic',
    "int8 by onnxruntime. It is timed as exporters write it and with onnxruntime's fused operators; the ratio is to the",
    "faster.",
    "",
    forwardTable(own),
    "",
    ...windowsText(groupAt(own, "windows")),
    ...embedsText(groupAt(own, "embeds")),
  ];
}

const said = (row) => (row === undefined ? "" : time(row.median));
const MODEL_NAMES = Object.keys(MODELS);

/** The group of one precision at the other keys, which begin with "name/" and end with "/length". */
const forwardKey = (key) => /^(\w+)\/(float32|int8)\/(\d+)$/.exec(key);

function forwardTable(groups) {
  const cases = new Map();
  for (const group of groups) {
    const found = forwardKey(group.key);
    if (found === null) continue;
    const [, name, precision, length] = found;
    const id = `${group.host}/${name}/${length}`;
    if (!cases.has(id)) cases.set(id, { host: group.host, name, length: Number(length) });
    cases.get(id)[precision] = group;
  }
  const order = ({ name, length }) => MODEL_NAMES.indexOf(name) * 1e6 + length;
  const hosts = ["node", "chromium"];
  const sorted = [...cases.values()].sort(
    (a, b) => hosts.indexOf(a.host) - hosts.indexOf(b.host) || order(a) - order(b),
  );
  const rows = sorted.map(({ host, name, length, float32, int8 }) => {
    const cosines = [float32, int8].flatMap((group) => group?.rows.flatMap(({ cosine }) => cosine ?? []) ?? []);
    return [
      host,
      MODELS[name].title,
      length,
      said(timed(float32, "ropewalk")),
      said(timed(float32, "ort-fused")),
      ratioOf(float32),
      said(timed(int8, "ropewalk")),
      said(timed(int8, "ropewalk-relaxed")),
      said(timed(int8, "ort-exported")),
      said(timed(int8, "ort-fused")),
      ratioOf(int8),
      ratioOf(int8, "ropewalk-relaxed"),
      cosines.length > 0 ? Math.min(...cosines).toFixed(4) : "",
    ];
  });
  const head = ["host", "shape", "tokens", "float32", "onnxruntime-web", "ratio"];
  return table(
    [...head, "int8", "relaxed SIMD", "q8 as exported", "q8 fused", "ratio", "ratio, relaxed", "cosine"],
    rows,
    "llrrrrrrrrrrr",
  );
}

/** How many times as fast as the fastest onnxruntime-web the package is. */
function ratioOf(group, key = "ropewalk") {
  const [own, other] = [timed(group, key), fastestRival(group)];
  return own === undefined || other === undefined ? "" : digits(other.median / own.median);
}

function fastestRival(group) {
  const rivals = group?.rows.filter(({ key, error }) => key.startsWith("ort-") && error === undefined) ?? [];
  return rivals.sort((a, b) => a.median - b.median)[0];
}

/** A paragraph on transformers.js in Node, which runs no WebAssembly, and by how much it is faster. */
function nativeText(groups) {
  const pairs = groups.map((group) => [timed(group, "native"), timed(group, "ropewalk"), fastestRival(group)]);
  const whole = pairs.filter((rows) => rows.every((row) => row !== undefined));
  if (whole.length === 0) return [];
  const range = (of) => {
    const factors = whole.map((rows) => rows[of].median / rows[0].median);
    return `${digits(Math.min(...factors), 2)} to ${digits(Math.max(...factors), 2)} times as fast as`;
  };
  return [
    "In Node transformers.js does not run WebAssembly: it calls onnxruntime-node, which is native code. On one thread, over",
    `the encoders that were measured, that is ${range(2)} onnxruntime-web and ${range(1)} this package.`,
    "Where native code can be installed, it or ropewalk-native is faster; in a page transformers.js runs onnxruntime-web.",
    "",
  ];
}

function windowsText(group) {
  const [windows, full] = [timed(group, "ropewalk"), timed(group, "full")];
  if (windows === undefined || full === undefined) return [];
  return [
    `${group.title}: ${time(windows.median)} with the windows that two layers of three have, ${time(full.median)} with full`,
    `attention in all of them, ${digits(full.median / windows.median)} times as long.`,
    "",
  ];
}

function firstVectorText(groups) {
  if (groups.length === 0) return [];
  const rows = groups.flatMap(({ host, rows: all }) =>
    all
      .filter(({ error }) => error === undefined)
      .map((row) => [
        row.label,
        host === "chromium" ? "a page" : "a process of Node",
        time(row.median),
        `${time(row.q1)} .. ${time(row.q3)}`,
        megabytes(row.code),
        megabytes(row.weights),
      ]),
  );
  return [
    "From import to the first vector of 16 tokens by MiniLM-L6, in fresh processes and pages; files are in the system's",
    "cache. Code is JavaScript and WebAssembly, not compressed.",
    "",
    table(["what", "in", "median", "quartiles", "code", "weights"], rows, "llrrrr"),
    "",
  ];
}

function embedsText(group) {
  const row = timed(group, "ropewalk");
  if (row === undefined) return [];
  const { start, end } = row.memory;
  return [
    `${group.title}, one after the other, ${time(row.median)} each: WebAssembly memory ${megabytes(start.module)} at the start`,
    `and ${megabytes(end.module)} at the end, resident memory of the process ${megabytes(start.resident)} and ${megabytes(end.resident)}.`,
    "",
  ];
}
