import { textOfLook } from "../../model/text.js";
import { integer, signalsOf } from "../../state/fields.js";
import { proteins } from "./examples.js";

/** Residues that are read. */
export const MOST_RESIDUES = 600;

export const sequenceText = textOfLook(proteins[0]!.sequence);
const ownFields = {
  /** The locked pair of residues, counted from 0; -1: none. */
  from: integer(-1, -1, MOST_RESIDUES - 1),
  to: integer(-1, -1, MOST_RESIDUES - 1),
};

export const fields = { sequence: sequenceText.field, ...ownFields };
export const state = { sequence: sequenceText.value, ...signalsOf(ownFields) };
