/** Every entry loads this file when the first index of vectors is asked for. */
export { makeIndex } from "../vectors/vector-index.js";
