import { textOfLook } from "../../model/text.js";
import { choice, integer, signalsOf, text } from "../../state/fields.js";
import { examples } from "./examples.js";

export const MOST_TEXTS = 2000;
/** Longer lists are not written into the link. */
export const LINK_TEXTS = 2000;

export const queryText = textOfLook("the captain got the rope from the sailor");
const ownFields = {
  rotation: choice("on", ["on", "off"]),
  /** The line of the result that is open, counted from 0; -1: none. */
  open: integer(-1, -1, MOST_TEXTS - 1),
  texts: text(examples, LINK_TEXTS),
};

export const fields = { q: queryText.field, ...ownFields };
export const state = { q: queryText.value, ...signalsOf(ownFields) };
