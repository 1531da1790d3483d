import { optionalRule, rule } from "../../rope/rules.js";
import { choice, integer, number, signalsOf } from "../../state/fields.js";

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
  /** The rule and the position that are read in the matrix. */
  matrix: choice("a", ["a", "b"]),
  at: integer(1024, 0, 1 << 24),
};

export const state = signalsOf(fields);

/** Addresses with these fields lead to Doctor, which reads configurations now. This page did so before. */
export const moved = { to: "doctor", fields: ["config", "layers", "printed", "tokens", "readers"] };
