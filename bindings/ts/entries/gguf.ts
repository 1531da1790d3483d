/** Every entry loads this file when a model comes as a GGUF file. */
export * from "../model/gguf.js";
