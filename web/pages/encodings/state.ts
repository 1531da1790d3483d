import { choice, integer, signalsOf, text } from "../../state/fields.js";
import { encodingNames } from "./kinds.js";

export const fields = {
  words: text("the dog saw the cat and the cat saw the dog", 800),
  seed: integer(1, 1, 9999),
  head: integer(0, 0, 3),
  encoding: choice("rope", encodingNames),
  view: choice("mirrored", ["as-is", "shifted", "mirrored", "stretched"]),
  shift: integer(16, 1, 96),
  show: choice("change", ["scores", "attention", "change"]),
  /** The pair of words that is read: query and key. */
  from: integer(1, 0, 95),
  to: integer(4, 0, 95),
  /** The distance at which the curve is read: the key's position less the query's. */
  at: integer(-3, -31, 31),
};

export const state = signalsOf(fields);
