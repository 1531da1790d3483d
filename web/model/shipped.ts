import type { CheckpointSource } from "./model-calls.js";

/** A checkpoint; whether it is read with its rotation is the question's. */
export type Checkpoint = Omit<CheckpointSource, "rotation">;

export const shippedFolder = new URL("model/", document.baseURI).href;

/** The model of this site. */
export const shipped: Checkpoint = {
  name: "the shipped model",
  config: `${shippedFolder}config.json`,
  weights: `${shippedFolder}model.safetensors`,
  tokenizer: { kind: "tokenizer.json", from: `${shippedFolder}tokenizer.json` },
};
