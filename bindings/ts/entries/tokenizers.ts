/** Every entry loads this file when a model comes with a tokenizer. */
export { loadTokenizer } from "../model/text/tokenizer.js";
