// The figures that users feel: a page of rows out of the contract, as a picture and as a table.
import { digits, escaped, table } from "../../../tools/markdown.mjs";
import { goalText, withUnit } from "./tables.mjs";

/**
 * Keys of contract rows, `<contract>/<host>/<case>`, in the order of the page, and what the row says in words. Comparisons, ": times ...", are drawn.
 */
const FELT = [
  ["models-first-vector/chromium/first-vector", "Page, import to first vector, int8: times onnxruntime-web's q8"],
  ["models-float32/chromium/minilm/float32/128", "Page, MiniLM, 128 tokens: times onnxruntime-web"],
  ["models-relaxed/chromium/minilm/int8/128", "Page, MiniLM, 128 tokens, int8: times onnxruntime-web's q8"],
  ["models-float32/chromium/modernbert/float32/128", "Page, ModernBERT, 128 tokens: times onnxruntime-web"],
  ["models-relaxed/chromium/modernbert/int8/128", "Page, ModernBERT, 128 tokens, int8: times onnxruntime-web's q8"],
  ["decode-ort/chromium/decode/64", "Page, a token after 64: times onnxruntime-web's q8"],
  ["prefill-ort/chromium/prefill", "Page, a prompt of 256: times onnxruntime-web's q8"],
  ["models-first-vector/node/first-vector", "Node, import to first vector, int8: times onnxruntime-web's q8"],
  ["models-float32/node/minilm/float32/128", "Node, MiniLM, 128 tokens: times onnxruntime-web"],
  ["models-int8/node/minilm/int8/128", "Node, MiniLM, 128 tokens, int8: times onnxruntime-web's q8"],
  ["models-int8/node/modernbert/int8/128", "Node, ModernBERT, 128 tokens, int8: times onnxruntime-web's q8"],
  ["models-native/node/minilm/float32/128", "Node, MiniLM, 128 tokens: times onnxruntime-node, native code"],
  ["addon-float32/node/minilm/float32/128", "Node with ropewalk-native, MiniLM, 128 tokens: times onnxruntime-node"],
  [
    "addon-int8/node/minilm/int8/128",
    "Node with ropewalk-native, MiniLM, 128 tokens, int8: times onnxruntime-node's q8",
  ],
  [
    "addon-int8/node/modernbert/int8/128",
    "Node with ropewalk-native, ModernBERT, 128, int8: times onnxruntime-node's q8",
  ],
  ["library-float32/node/minilm/float32/128", "C++, MiniLM, 128 tokens: times onnxruntime-node"],
  ["library-int8/node/minilm/int8/128", "C++, MiniLM, 128 tokens, int8: times onnxruntime-node's q8"],
  ["decode-ort/node/decode/64", "Node, a token after 64: times onnxruntime-web's q8"],
  ["decode-addon-ort/node/decode/64", "Node with ropewalk-native, a token after 64: times onnxruntime-node's q8"],
  ["prefill-addon-ort/node/prefill", "Node with ropewalk-native, a prompt of 256: times onnxruntime-node's q8"],
  ["rotation-js-copies/node/half/A", "Rotate 128 tokens in an array: times the best loop in JavaScript"],
  ["rotation-js-copies/node/half/B", "Rotate 2048 tokens in an array: times the best loop in JavaScript"],
  ["rotation-js/node/half/A", "Rotate 128 tokens in a Tensor: times the best loop in JavaScript"],
  ["rotation-js/node/half/B", "Rotate 2048 tokens in a Tensor: times the best loop in JavaScript"],
  ["training/node/step", "A training step: share of the rate of the forward pass"],
  ["call/node/call", "One call on a Tensor, beyond its kernel"],
  ["startup/node/startup", "The first rotation, after import"],
];

/** The rows that users feel, each with `words`. */
export function feltRows(contracts) {
  return FELT.flatMap(([wanted, words]) =>
    contracts.filter(({ key, value }) => value !== undefined && key === wanted).map((row) => ({ ...row, words })),
  );
}

export function feltTable(rows) {
  const cells = rows.map((row) => [
    row.words,
    goalText(row),
    withUnit(row.value, row.unit),
    `${digits(row.low)} .. ${digits(row.high)}`,
    row.verdict,
  ]);
  return table(["what", "target", "measured", "quartiles", "verdict"], cells, "lrrrl");
}

const LEFT = 430;
const WIDTH = 800;
const ROW = 28;
const TOP = 44;
/** Ratios from a quarter to 32, in powers of two. */
const LOWEST = -2;
const HIGHEST = 5;

const across = (ratio) => {
  const place = Math.min(HIGHEST, Math.max(LOWEST, Math.log2(ratio)));
  return LEFT + ((WIDTH - LEFT - 60) * (place - LOWEST)) / (HIGHEST - LOWEST);
};
const fixed = (number) => Number(number.toFixed(1));

const STYLE = `text{font:13px system-ui,sans-serif;fill:#1f2328}.axis{stroke:#8c959f}.grid{stroke:#d8dee4}
.bar{fill:#0b7285}.short{fill:#b35900}.spread{stroke:#1f2328}.target{stroke:#1f2328;stroke-width:2}.number{font-weight:600}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.grid{stroke:#30363d}.bar{fill:#3bc9db}.short{fill:#ffa94d}
.spread,.target{stroke:#e6edf3}}`;

function targetMark(target, y) {
  if (target === null) return [];
  const x = fixed(across(target));
  return [`<line class="target" x1="${x}" x2="${x}" y1="${y - 2}" y2="${y + 20}"/>`];
}

/** An SVG of all rows that compare with something else: a bar from 1 to the median, a line over the quartiles, a mark at the target. */
export function overviewPicture(rows) {
  const drawn = rows.filter(({ words }) => words.includes(": times "));
  const height = TOP + drawn.length * ROW + 12;
  const grid = [];
  for (let power = LOWEST; power <= HIGHEST; power++) {
    const x = fixed(across(2 ** power));
    const kind = power === 0 ? "axis" : "grid";
    grid.push(`<line class="${kind}" x1="${x}" x2="${x}" y1="${TOP - 10}" y2="${height - 8}"/>`);
    grid.push(`<text x="${x}" y="${TOP - 18}" text-anchor="middle">${["¼", "½"][power + 2] ?? 2 ** power}×</text>`);
  }
  const bars = drawn.flatMap(({ words, value, low, high, target, verdict }, i) => {
    const y = TOP + i * ROW;
    const [one, end] = [across(1), across(value)];
    const middle = y + 9;
    return [
      `<text x="${LEFT - 20}" y="${y + 14}" text-anchor="end">${escaped(words)}</text>`,
      `<rect class="${verdict === "short" ? "short" : "bar"}" x="${fixed(Math.min(one, end))}" y="${y + 1}" width="${fixed(Math.max(1, Math.abs(end - one)))}" height="16"/>`,
      `<line class="spread" x1="${fixed(across(low))}" x2="${fixed(across(high))}" y1="${middle}" y2="${middle}"/>`,
      ...targetMark(target, y),
      `<text class="number" x="${fixed(Math.max(one, end, across(high), across(target ?? 1)) + 8)}" y="${y + 14}">${digits(value)}×</text>`,
    ];
  });
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    "<title>Ropewalk compared with what one would use instead</title>",
    `<style>${STYLE}</style>`,
    ...grid,
    ...bars,
    "</svg>",
  ].join("\n")}\n`;
}
