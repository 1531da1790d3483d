/** Every entry loads this file when a decoder or a reranker comes with a chat template. */
export * from "../model/templates.js";
