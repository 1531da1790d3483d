import { choice, integer, number, signalsOf } from "../../state/fields.js";
import { movedField } from "./moved.js";

export const fields = {
  d: number(16, 8, 64, 2),
  pairing: choice("interleaved", ["interleaved", "half"]),
  base: choice("10000", ["100", "1000", "10000", "500000"]),
  vectors: choice("related", ["related", "equal", "random", "ones"]),
  /** The fallback is a draw whose pairs all have two arrows to be seen, and whose score falls off with distance. */
  seed: integer(583, 1, 9999),
  span: choice("64", ["32", "64", "256", "1024"]),
  m: number(12, 0, 1024, 0.01),
  n: number(3, 0, 1024, 0.01),
  shift: number(0, 0, 1024, 0.01),
  pair: integer(0, 0, 31),
  moved: movedField,
};

export const state = signalsOf(fields);
