import { optionalRule, rule } from "../../rope/rules.js";
import { choices, integer, number, signalsOf, text } from "../../state/fields.js";
import { libraries, readers } from "./readers.js";

export const fields = {
  d: number(128, 4, 256, 2),
  context: integer(8192, 16, 1 << 24),
  a: rule({ type: "default", values: { base: 500000 } }),
  b: optionalRule({
    type: "llama3",
    values: {
      base: 500000,
      factor: 8,
      lowFrequencyFactor: 1,
      highFrequencyFactor: 4,
      originalMaxPositions: 8192,
    },
  }),
  pair: integer(40, 0, 127),
  /** A config.json as it was pasted. One that is too long for a link is left out of it. */
  config: text("", 12000),
  layers: text("", 64),
  /** Frequencies as the program under test printed them, or a row of cos and sin as JSON. */
  printed: text("", 12000),
  /** Length of the sequence that readers are compared on; the model's own unless given. */
  tokens: text("", 12),
  readers: choices(readers, libraries),
};

export const state = signalsOf(fields);
