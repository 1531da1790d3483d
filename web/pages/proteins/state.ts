import { integer, signalsOf, text } from "../../state/fields.js";
import { proteins } from "./examples.js";

export const fields = {
  sequence: text(proteins[0]!.sequence, 600),
  /** The locked pair of residues, counted from 0; -1: none. */
  from: integer(-1, -1, 599),
  to: integer(-1, -1, 599),
};

export const state = signalsOf(fields);
