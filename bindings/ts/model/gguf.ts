/** The part of the package that is loaded with the first GGUF file that is an encoder or has a vocabulary. */
export { type GgufEncoder, readGgufEncoder } from "./gguf/encoder.js";
export { tokenizerOfGguf } from "./gguf/tokenizer.js";
