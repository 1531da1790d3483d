// Arguments: the library's address, the graph's file. From import to the mean of 16 tokens' states; prints
// { took, vector }.
import { readFileSync } from "node:fs";
import { idsOf, MODELS } from "./shapes.mjs";

const [address, graph] = process.argv.slice(2);
const { hidden } = MODELS.minilm;
const inputIds = BigInt64Array.from(idsOf(MODELS.minilm, 16), BigInt);
const length = inputIds.length;
const begun = performance.now();
const ort = await import(address);
ort.env.wasm.numThreads = 1;
const options = { executionProviders: ["wasm"], graphOptimizationLevel: "all", logSeverityLevel: 3 };
const session = await ort.InferenceSession.create(readFileSync(graph), options);
const tensor = (values) => new ort.Tensor("int64", values, [1, length]);
const states = await session.run({
  input_ids: tensor(inputIds),
  attention_mask: tensor(new BigInt64Array(length).fill(1n)),
  token_type_ids: tensor(new BigInt64Array(length)),
});
const { data } = states[session.outputNames[0]];
const vector = new Array(hidden).fill(0);
for (let at = 0; at < data.length; at++) vector[at % hidden] += data[at] / length;
console.log(JSON.stringify({ took: performance.now() - begun, vector }));
process.exit(0);
