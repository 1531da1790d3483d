import { choice, signalsOf } from "../../state/fields.js";

export const fields = {
  /** True if the two names have changed places. */
  swap: choice("no", ["no", "yes"]),
  rotation: choice("on", ["on", "off"]),
};

export const state = signalsOf(fields);
