import { batch } from "@preact/signals";
import type { Reader } from "ropewalk";
import { libraries } from "./readers.js";
import { state } from "./state.js";

/** Mistakes that people made: the threads are in docs/checker.md. */
interface Mistake {
  readonly title: string;
  readonly config?: object;
  readonly printed?: string;
  /** The one that the program is meant to be; all of them unless given. */
  readonly reader?: Reader;
}

const llama = {
  model_type: "llama",
  hidden_size: 4096,
  num_attention_heads: 32,
  max_position_embeddings: 131072,
};
const llama3 = {
  rope_type: "llama3",
  factor: 8,
  low_freq_factor: 1,
  high_freq_factor: 4,
  original_max_position_embeddings: 8192,
};
/** As PyTorch prints a table of base 10000 in float32, 16 pairs. */
const printed = Array.from({ length: 16 }, (_, j) => Math.fround(10000 ** (-j / 16)).toPrecision(5));

export const mistakes: readonly Mistake[] = [
  {
    title: "saved by Transformers 5",
    config: { ...llama, rope_parameters: { ...llama3, rope_theta: 500000 } },
  },
  {
    title: "a misspelt key",
    config: {
      model_type: "llama",
      hidden_size: 4096,
      num_attention_heads: 32,
      max_position_embeddings: 131072,
      rope_theta: 500000,
      rope_scaling: {
        low_freq_factor: 1,
        high_freq_factor: 4,
        original_max_position_embeddings: 8192,
        rope_type: "llama3",
        facter: 8,
      },
    },
  },
  {
    title: "the NTK rule of GTE’s own code",
    config: {
      model_type: "new",
      hidden_size: 768,
      num_attention_heads: 12,
      max_position_embeddings: 8192,
      rope_theta: 20000,
      rope_scaling: { type: "ntk", factor: 8 },
    },
  },
  {
    title: "a printed table with the default base",
    config: {
      model_type: "llama",
      hidden_size: 128,
      num_attention_heads: 4,
      max_position_embeddings: 8192,
      rope_theta: 500000,
    },
    printed: `tensor([${printed.join(", ")}])`,
    reader: "transformers-5",
  },
  {
    title: "a printed table that was never filled",
    printed: "tensor([6.9300e-18, 0.0000e+00, 4.5740e-41, 0.0000e+00, 1.4013e-45, 0.0000e+00])",
  },
];

/** Puts a file, and a printed table where there is one, into the page; all else is as at first. */
export function give(config: string, table = "", reader?: Reader): void {
  batch(() => {
    state.config.value = config;
    state.printed.value = table;
    state.layers.value = "";
    state.tokens.value = "";
    state.readers.value = reader === undefined ? libraries : [reader];
  });
}

/** As it stands in the page. */
export const textOf = ({ config }: Mistake): string => (config ? JSON.stringify(config, null, 2) : "");

export function giveMistake(mistake: Mistake): void {
  give(textOf(mistake), mistake.printed, mistake.reader);
}
