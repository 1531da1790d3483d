// Arguments: the library's address, a file with the graph of one RotaryEmbedding [1,1,64] at position 1.
import { readFileSync } from "node:fs";

const model = readFileSync(process.argv[3]);
const begun = performance.now();
const ort = await import(process.argv[2]);
ort.env.wasm.numThreads = 1;
const session = await ort.InferenceSession.create(model, { executionProviders: ["wasm"], logSeverityLevel: 3 });
const x = new ort.Tensor("float32", new Float32Array(64).fill(1), [1, 1, 64]);
const y = (await session.run({ x }))[session.outputNames[0]].data;
// The graph's table has one row, that of position 0.
console.log(y[0] === 1 ? performance.now() - begun : "its result is wrong");
process.exit(0);
