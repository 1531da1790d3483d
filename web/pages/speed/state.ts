import { choice, signalsOf } from "../../state/fields.js";

export const fields = {
  shape: choice("prompt", ["decode", "prompt", "batch", "long"]),
  pairing: choice("half", ["half", "interleaved"]),
};

export const state = signalsOf(fields);
