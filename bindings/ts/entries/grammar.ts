/** Decoders load this file with the first request for output that follows a schema or an expression. */
export { grammarsOf } from "../model/grammar/grammar.js";
