import { question, questionFields } from "../../model/question.js";
import { integer, signalsOf } from "../../state/fields.js";

const ownFields = {
  /** The shipped model's layer 2, head 0 looks from the hidden word straight at its answer. */
  layer: integer(2, 0, 95),
  head: integer(0, 0, 127),
  /** The locked row (query) and column (key) of the large head; -1: none. */
  from: integer(-1, -1, 4095),
  to: integer(-1, -1, 4095),
  /** The locked distance m - n of the curve of scores. */
  distance: integer(0, -4095, 4095),
};

export const fields = { ...questionFields, ...ownFields };
export const state = { ...question, ...signalsOf(ownFields) };
