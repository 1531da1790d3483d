// Arguments: the package's address, the folder of the model, the precision. From import to the mean of 16 tokens' states;
// prints { took, vector }.
import { join } from "node:path";
import { configOf, idsOf, MODELS } from "./shapes.mjs";

const [address, folder, precision] = process.argv.slice(2);
const inputIds = idsOf(MODELS.minilm, 16);
const begun = performance.now();
const { load } = await import(address);
const files = { "config.json": configOf("minilm"), "model.safetensors": join(folder, "model.safetensors") };
const model = await (await load()).encoder(files, { precision });
const wants = { logits: false, pooled: true, pooling: "mean" };
const { pooled } = model.forward({ inputIds, sequence: inputIds.length }, wants);
console.log(JSON.stringify({ took: performance.now() - begun, vector: [...pooled] }));
