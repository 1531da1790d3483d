import type { Reader } from "ropewalk";

/** Readers of configurations, in the order of the boxes: this library first. */
export const readers: readonly Reader[] = [
  "ropewalk",
  "transformers-4",
  "transformers-5",
  "getattr-legacy",
  "llama.cpp",
  "remote-gte",
  "remote-nomic",
];
