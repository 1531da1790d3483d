/** Every entry loads this file when offsets of tokens are asked for. */
export * from "../model/text/offsets.js";
