/** What every entry loads when a model comes with a tokenizer. */
export { loadTokenizer } from "../model/text/tokenizer.js";
