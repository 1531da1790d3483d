// From import to the mean of 16 tokens' states, in a process or a page that has loaded nothing else yet.
import { configOf, idsOf, MODELS } from "./shapes.mjs";

const NAME = "minilm";
const LENGTH = 16;

/** `address` of the package, `weights` of the checkpoint: { took, vector }. */
async function ropewalkVector({ address, weights, precision }) {
  const inputIds = idsOf(MODELS[NAME], LENGTH);
  const begun = performance.now();
  const { load } = await import(address);
  const files = { "config.json": configOf(NAME), "model.safetensors": weights };
  const model = await (await load({ threads: 1 })).encoder(files, { precision });
  const wants = { logits: false, pooled: true, pooling: "mean" };
  const { pooled } = model.forward({ inputIds, sequence: LENGTH }, wants);
  return { took: performance.now() - begun, vector: [...pooled] };
}

/** `address` of onnxruntime-web, `weights` of the graph; `bytes(weights)` reads it. */
async function onnxruntimeVector({ address, weights }, bytes) {
  const { hidden } = MODELS[NAME];
  const inputIds = BigInt64Array.from(idsOf(MODELS[NAME], LENGTH), BigInt);
  const begun = performance.now();
  const ort = await import(address);
  ort.env.wasm.numThreads = 1;
  const options = { executionProviders: ["wasm"], graphOptimizationLevel: "all", logSeverityLevel: 3 };
  const session = await ort.InferenceSession.create(await bytes(weights), options);
  const tensor = (values) => new ort.Tensor("int64", values, [1, LENGTH]);
  const states = await session.run({
    input_ids: tensor(inputIds),
    attention_mask: tensor(new BigInt64Array(LENGTH).fill(1n)),
    token_type_ids: tensor(new BigInt64Array(LENGTH)),
  });
  const { data } = states[session.outputNames[0]];
  const vector = new Array(hidden).fill(0);
  for (let at = 0; at < data.length; at++) vector[at % hidden] += data[at] / LENGTH;
  return { took: performance.now() - begun, vector };
}

/** `request`: { engine, address, weights, precision }. */
export const firstVector = (request, bytes) =>
  request.engine === "ropewalk" ? ropewalkVector(request) : onnxruntimeVector(request, bytes);
