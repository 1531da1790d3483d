import type { Checkpoint } from "./session.js";

const files = "https://huggingface.co/junnyu/roformer_small_generator/resolve";

/** A published English model, read from its hub when the visitor asks for it, and only then. */
export const hubModel = {
  name: "junnyu/roformer_small_generator",
  licence: "MIT",
  page: "https://huggingface.co/junnyu/roformer_small_generator",
  /** Size of all its files, nearly all of it weights. */
  bytes: 18.3e6,
  example: "Beijing is the capital of [MASK].",
  config: `${files}/main/config.json`,
  /** The main branch has them only in another format. */
  weights: `${files}/refs%2Fpr%2F1/model.safetensors`,
  vocabulary: `${files}/main/vocab.txt`,
} as const;

/** Whom the page's policy lets it ask: the hub, and where the hub sends those who ask for large files. */
export const hubHosts = ["https://huggingface.co", "https://*.huggingface.co", "https://*.hf.co"] as const;

export const hubCheckpoint: Checkpoint = {
  name: hubModel.name,
  config: hubModel.config,
  weights: hubModel.weights,
  tokenizer: { kind: "vocab.txt", from: hubModel.vocabulary },
};
