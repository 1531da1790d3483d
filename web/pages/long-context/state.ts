import { choice, integer, number, signalsOf } from "../../state/fields.js";

export const fields = {
  /** Scaling rules at test time, or rotation taken out of a trained model (DroPE) beside them. */
  view: choice("rules", ["rules", "drope"]),
  task: choice("period", ["period", "copy", "order", "needle"]),
  /** Length of the training sequences. */
  length: choice("24", ["16", "24", "32"]),
  steps: choice("600", ["300", "600", "1200"]),
  seed: integer(1, 0, 9999),
  seeds: choice("5", ["1", "3", "5"]),
  /** YaRN's ramp: pairs that turn more often than this within the trained length are kept, ... */
  betaFast: number(32, 0.25, 64, 0.25),
  /** ... those that turn less often are divided by the factor. */
  betaSlow: number(1, 0.05, 32, 0.05),
  measure: choice("accuracy", ["accuracy", "loss"]),
  /** The line that stands out. */
  rule: choice("all", ["all", "default", "linear", "ntk", "yarn", "dynamic"]),
  /** The test length that is read, in lengths of training. */
  at: choice("4", ["1", "2", "4", "8"]),
  /** The same in the view of DroPE, which was tested at these. */
  dropeAt: choice("4", ["1", "2", "4"]),
};

export const state = signalsOf(fields);
