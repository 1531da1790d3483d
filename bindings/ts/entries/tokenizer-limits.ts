/** Every entry loads this file when a tokenizer has other steps than those of BERT. */
export { limitedTokenizer } from "../model/text/tokenizer-limits.js";
