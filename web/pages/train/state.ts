import { choice, choices, integer, signalsOf } from "../../state/fields.js";
import { encodings, MOST } from "./encodings.js";

export const fields = {
  task: choice("order", ["order", "copy", "period", "induction", "dyck", "needle", "markov", "english"]),
  /** Distance of copy, period and needle; 0: the task's own. */
  distance: integer(0, 0, 64),
  encodings: choices(["rope", "learned", "alibi"], encodings, MOST),
  seeds: choice("5", ["1", "2", "3", "5"]),
  size: choice("small", ["small", "medium"]),
  length: choice("24", ["16", "24", "32", "64"]),
  rate: choice("0.002", ["0.0005", "0.001", "0.002", "0.004"]),
  steps: choice("800", ["100", "200", "400", "800", "1600", "3200"]),
  seed: integer(1, 0, 9999),
  measure: choice("accuracy", ["accuracy", "loss"]),
};

export const state = signalsOf(fields);
