import type { Reader } from "ropewalk";

/** Every reader that the library has, in its order, and whether it is asked unless somebody chooses: the compiler compares. */
const ASKED: Readonly<Record<Reader, boolean>> = {
  ropewalk: true,
  "transformers-4": true,
  "transformers-5": true,
  "getattr-legacy": false,
  vllm: true,
  sglang: true,
  "mlx-lm": true,
  "onnxruntime-genai": true,
  "llama.cpp": true,
  "remote-gte": true,
  "remote-nomic": true,
};

export const readers = Object.keys(ASKED) as readonly Reader[];
/** Libraries: "getattr-legacy" stands for a mistake. */
export const libraries = readers.filter((each) => ASKED[each]);
/** The libraries to check; without a choice undefined, which is every library that has the family. */
export const askedOf = (chosen: readonly Reader[]) => (chosen.join() === libraries.join() ? undefined : chosen);
