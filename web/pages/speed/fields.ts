import { choice } from "../../state/fields.js";

export const speedFields = {
  shape: choice("prompt", ["decode", "prompt", "batch", "long"]),
  pairing: choice("half", ["half", "interleaved"]),
};
