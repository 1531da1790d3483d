import { choice, integer, signalsOf } from "../../state/fields.js";

export const fields = {
  task: choice("period", ["period", "copy", "order", "needle"]),
  /** Of training. */
  length: choice("24", ["16", "24", "32"]),
  steps: choice("600", ["300", "600", "1200"]),
  seed: integer(1, 0, 9999),
  measure: choice("accuracy", ["accuracy", "loss"]),
  /** The line that stands out. */
  rule: choice("all", ["all", "default", "linear", "ntk", "yarn", "dynamic"]),
  /** The test length that is read, in lengths of training. */
  at: choice("4", ["1", "2", "4", "8"]),
};

export const state = signalsOf(fields);
