import { rule } from "../../rope/rules.js";
import { choice, integer, number, signalsOf, text } from "../../state/fields.js";

export const fields = {
  d: number(128, 4, 256, 2),
  rule: rule({ type: "default", values: { base: 10000 } }),
  span: choice("256", ["64", "256", "1024", "4096"]),
  vectors: choice("related", ["related", "equal", "random", "ones", "own"]),
  seed: integer(583, 1, 9999),
  q: text("", 8000),
  k: text("", 8000),
  threshold: number(0.5, -0.95, 0.95, 0.05),
  at: number(16, 0, 4096, 0.25),
};

export const state = signalsOf(fields);
