// The section about decoders; groups that were not measured are left out.

import { digits, megabytes, table, time } from "../../../tools/markdown.mjs";
import { CACHED, DECODER, multiplied } from "../decoders/shape.mjs";
import { timed } from "./tables.mjs";

/** Lines of Markdown, none without groups of the suite. */
export function decodersSection(groups) {
  const own = groups.filter(({ suite }) => suite === "decoders");
  if (own.length === 0) return [];
  const at = (key, host = "node") => own.find((group) => group.host === host && group.key === key);
  return [
    "## Decoders",
    "",
    `A decoder of ${DECODER.title}'s shape with random weights, the same for all engines, on one thread: weights of 8 bits,`,
    "keys and values in float32. Node 20 has no relaxed SIMD. wllama runs in pages only, times itself, has keys and values in",
    "float16, and its results were not compared. The cosine is that of the logits after 24 tokens. onnxruntime runs its fused",
    "operators, as exporters of decoders write them, and its cache goes out of a call and into the next one. The plain loop",
    "multiplies a token's weights by vectors and does nothing else: no attention, no norms. The limit reads each weight's byte",
    `once, ${digits(multiplied(DECODER) / 1e6)} MB.`,
    "",
    speedTable(at),
    "",
    ...movesText(at("moves")),
    ...manyText(at("many")),
  ];
}

const perSecond = (row, tokens = 1) => (row === undefined ? "" : digits((1000 * tokens) / row.median));

function speedTable(at) {
  const groups = ["node", "chromium"].flatMap((host) => [
    ...CACHED.map((held) => [`${host}: a token after ${held}`, at(`decode/${held}`, host), 1]),
    [`${host}: a prompt of 256`, at("prefill", host), 256],
  ]);
  const rows = groups.flatMap(([what, group, tokens]) => {
    if (group === undefined) return [];
    const own = timed(group, "ropewalk");
    const read = timed(group, "read");
    const relaxed = timed(group, "ropewalk-relaxed");
    const fastest = relaxed ?? own;
    return [
      [
        what,
        perSecond(own, tokens),
        perSecond(relaxed, tokens),
        perSecond(timed(group, "ropewalk-native"), tokens),
        perSecond(timed(group, "ort-q8"), tokens),
        perSecond(timed(group, "native-q8"), tokens),
        perSecond(timed(group, "wllama"), tokens),
        perSecond(timed(group, "plain-c"), tokens),
        perSecond(read, tokens),
        fastest && read ? digits(read.median / fastest.median) : "",
        timed(group, "ort-q8")?.cosine?.toFixed(4) ?? "",
      ],
    ];
  });
  return table(
    [
      "tokens per second",
      "int8",
      "int8, relaxed SIMD",
      "int8, ropewalk-native",
      "onnxruntime-web q8",
      "onnxruntime-node q8",
      "wllama Q8_0",
      "plain C, products",
      "limit",
      "share of the limit",
      "cosine",
    ],
    rows,
    "lrrrrrrrrrr",
  );
}

function movesText(group) {
  const [drop, append, prefill] = ["drop", "append", "prefill"].map((key) => timed(group, key));
  if (prefill === undefined) return [];
  const said = (row) => `${time(row.median)}, ${digits((100 * row.median) / prefill.median, 2)} %`;
  return [
    `${group.title}: computing them takes ${time(prefill.median)}; dropping as many from a copy of a cache of 1024 takes`,
    `${said(drop)} of that, and appending them as a chunk computed before ${said(append)}.`,
    "",
  ];
}

function manyText(group) {
  const row = timed(group, "ropewalk");
  if (row === undefined) return [];
  const { start, end } = row.memory;
  return [
    `${group.title}, generated one after the other in a cache of 512 that drops 256 whenever it is full, ${time(row.median)} each:`,
    `WebAssembly memory ${megabytes(start.module)} at the start and ${megabytes(end.module)} at the end, resident memory of the process`,
    `${megabytes(start.resident)} and ${megabytes(end.resident)}.`,
    "",
  ];
}
