import { textOfLook } from "../../model/text.js";
import { choice, integer, number, signalsOf, toggle } from "../../state/fields.js";
import { logField, rules } from "./log.js";

/** The text that the cache holds at first. Where a word is hidden, this look goes on itself. */
export const promptText = textOfLook("the captain gave the rope to the sailor . now the", (typed) =>
  typed.replace(/\s*\[MASK\].*/s, ""),
);
const ownFields = {
  /** The steps since. */
  log: logField(),
  temperature: number(0.8, 0, 2, 0.05),
  seed: integer(1, 1, 9999),
  /** The rule that the cache would be changed to. */
  rule: toggle("linear", rules),
  factor: number(2, 1, 64, 0.001),
  /** The view: steps on the text, or its loss without parts of the rotation. */
  view: choice("text", ["text", "microscope"]),
  /** Columns of the microscope. */
  parts: choice("pair", ["pair", "keyHead"]),
  /** The part that is left out: a layer, and a pair or key head. -1 is all of them. */
  layer: integer(-1, -1, 999),
  part: integer(-1, -1, 999),
};

export const fields = { prompt: promptText.field, ...ownFields };
export const state = { prompt: promptText.value, ...signalsOf(ownFields) };
