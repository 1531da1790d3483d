import { readFileSync } from "node:fs";

const folder = "tests/golden/roformer/base";
export interface ChosenFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/** The golden base model is made of numbers only; these words give its 97 ids names. */
const words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "captain", "gave", "to", "sailor"];
const vocabulary = [...words, ...Array.from({ length: 97 - words.length }, (_, i) => `word${i}`)].join("\n");

export const config: ChosenFile = {
  name: "config.json",
  mimeType: "application/json",
  buffer: readFileSync(`${folder}/config.json`),
};
export const weights: ChosenFile = {
  name: "model.safetensors",
  mimeType: "application/octet-stream",
  buffer: readFileSync(`${folder}/model.safetensors`),
};
export const vocab: ChosenFile = { name: "vocab.txt", mimeType: "text/plain", buffer: Buffer.from(vocabulary) };

/** As a download that broke off. */
export const cutWeights: ChosenFile = { ...weights, buffer: weights.buffer.subarray(0, weights.buffer.length / 2) };
export const brokenConfig: ChosenFile = { ...config, buffer: Buffer.from('{"model_type": "roformer",') };
