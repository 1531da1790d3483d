// `npm run test:published [-- minilm mpnet gemma]`: published weights against their reference, in WebAssembly and natively;
// then docs/published.md. It fails where a row is worse than the recorded one, and keeps the record then.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chosen } from "../../tools/run/names.mjs";
import { fromRoot } from "../../tools/setup/environment.mjs";
import { say, seconds } from "../../tools/setup/progress.mjs";
import { about } from "../../tools/trust/document.mjs";
import { merged, readResults, writeResults } from "./document.mjs";
import { fetchPublished, readGolden } from "./fetch.mjs";
import { decoderMeasures, encoderMeasures, regressionsOf, verdictOf } from "./measures.mjs";
import { MODELS } from "./models.mjs";
import { openNative } from "./native-host.mjs";
import { openPackage } from "./package-host.mjs";

const KINDS = {
  encoder: {
    weights: ({ files }) => ({ name: "model.safetensors", sha256: files["model.safetensors"].sha256 }),
    texts: ({ texts }) => texts.length,
    place: (folder, _, { file }) => (file === undefined ? folder : join(folder, file)),
    run: (host, ...args) => host.encode(...args),
    measures: encoderMeasures,
    numbers: ({ vectors }) => vectors,
  },
  decoder: {
    weights: ({ gguf }) => ({ name: gguf.name, sha256: gguf.sha256 }),
    texts: ({ cases }) => cases.length,
    place: (folder, { gguf }) => join(folder, gguf.name),
    run: (host, ...args) => host.decode(...args),
    measures: decoderMeasures,
    numbers: (cases) => cases.map(({ logits }) => Float32Array.from(logits.flatMap((each) => [...each]))),
  },
};

const bits = (values) => Buffer.from(values.buffer, values.byteOffset, values.byteLength);
const otherBits = (a, b) => a.filter((each, i) => !bits(each).equals(bits(b[i]))).length;

/** One row: what a host makes of a model in a precision. `kept` holds the numbers of WebAssembly for the bits of int8. */
async function compare(host, model, { folder, golden, precision, kept }) {
  const kind = KINDS[model.kind];
  const bounds = { ...model.bounds[precision], ...(precision === "int8" && { otherBits: 0 }) };
  let found;
  try {
    found = await kind.run(host, kind.place(folder, golden, model), golden, precision);
  } catch (error) {
    return { refused: error.message.split("\n")[0], bounds };
  }
  const measures = kind.measures(found, golden);
  if (precision === "int8") {
    if (kept.numbers) measures.otherBits = otherBits(kind.numbers(found), kept.numbers);
    kept.numbers ??= kind.numbers(found);
  }
  return { measures, bounds };
}

function line({ model, host, precision, verdict, refused, measures = {} }, took) {
  const figures = Object.entries(measures).map(([name, value]) => `${name} ${Number(value.toPrecision(7))}`);
  return `  ${model}, ${host}, ${precision}: ${verdict} (${refused ?? figures.join(", ")}; ${seconds(took)})`;
}

/** The texts of an encoder's reference that have fewer tokens. */
function shorterThan(longest = Number.POSITIVE_INFINITY, golden) {
  if (golden.vectors === undefined) return golden;
  const of = (list) => list.filter((_, i) => golden.ids[i].length < longest);
  return { ...golden, texts: of(golden.texts), ids: of(golden.ids), vectors: of(golden.vectors) };
}

async function rowsOf(key, hosts, tried) {
  const model = MODELS[key];
  const golden = shorterThan(model.longest, readGolden(model.golden));
  const folder = await fetchPublished(key, model);
  const kind = KINDS[model.kind];
  const kept = {};
  const rows = [];
  for (const host of hosts) {
    for (const precision of Object.keys(model.bounds)) {
      const begun = Date.now();
      const result = await compare(host, model, { folder, golden, precision, kept });
      const common = {
        model: key,
        host: host.name,
        precision,
        weights: kind.weights(golden),
        texts: kind.texts(golden),
      };
      const row = { ...common, verdict: verdictOf(result), ...result, ...tried };
      say(line(row, Date.now() - begun));
      rows.push(row);
    }
  }
  return rows;
}

/** `program` is the built native.cpp. Returns the exit code. */
export async function main(program, names) {
  const hosts = [await openPackage(pathToFileURL(fromRoot("dist/node.js")).href), openNative(program)];
  const recorded = readResults();
  const before = (row) =>
    recorded.rows.find((old) => ["model", "host", "precision"].every((name) => old[name] === row[name]));
  const tried = about("weights");
  const rows = [];
  for (const key of chosen("published model", Object.keys(MODELS), names))
    rows.push(...(await rowsOf(key, hosts, tried)));
  const regressions = rows.flatMap((row) => regressionsOf(row, before(row)));
  if (regressions.length > 0) {
    say(`\nWorse than docs/published.md records, which stays as it was:\n  ${regressions.join("\n  ")}`);
    return 1;
  }
  writeResults(merged(recorded, rows));
  const short = rows.filter(({ verdict }) => verdict !== "holds").length;
  say(`\nNo row is worse than recorded; ${rows.length - short} of ${rows.length} hold. Written: docs/published.md`);
  return 0;
}
