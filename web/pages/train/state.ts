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
  /** The step of the race that is read; -1: the last one. */
  step: integer(-1, -1, 3200),
  /** The recorded experiment that is shown, and the point of it that is read; -1: the last one. */
  experiment: integer(1, 0, 31),
  point: integer(-1, -1, 99),
};

export const state = signalsOf(fields);
