import { choice, integer, number, numbers, signalsOf } from "../../state/fields.js";
import { presets } from "./wanted.js";

export const fields = {
  /** Distances between words of a text, or between patches of a picture, which have a row and a column. */
  view: choice("text", ["text", "picture"]),
  way: choice("axial", ["axial", "interleaved", "chunked", "golden", "line"]),
  /** The query of the picture: learned in the trained grid, or equal to its key. */
  head: choice("trained", ["trained", "alike"]),
  /** The patch of the query, in the finer grid. */
  row: integer(12, 0, 15),
  column: integer(4, 0, 15),
  d: number(64, 4, 256, 2),
  base: choice("10000", ["100", "1000", "10000", "500000"]),
  alpha: number(0.3, 0, 1, 0.0001),
  rho: number(1, 0, 8, 0.0001),
  span: choice("256", ["64", "256", "1024"]),
  vectors: choice("ones", ["related", "equal", "random", "ones"]),
  seed: integer(583, 1, 9999),
  /** The parameter along the rows of the heat map. */
  rows: choice("alpha", ["alpha", "rho"]),
  at: integer(16, 0, 1024),
  /** The wanted scores at the distances of wanted.ts. The first distance is left out: the score there is 1. */
  wanted: numbers(presets.middle, 8, -1, 1),
};

export const state = signalsOf(fields);
