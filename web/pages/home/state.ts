import { signalsOf, toggle } from "../../state/fields.js";

export const fields = {
  /** True if the two names have changed places. */
  swap: toggle("no", ["no", "yes"]),
  rotation: toggle("on", ["on", "off"]),
};

export const state = signalsOf(fields);
