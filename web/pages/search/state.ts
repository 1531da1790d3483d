import { choice, integer, signalsOf, text } from "../../state/fields.js";
import { examples } from "./examples.js";

export const MOST_TEXTS = 2000;
/** Longer lists are not written into the link. */
export const LINK_TEXTS = 2000;

export const fields = {
  q: text("the captain got the rope from the sailor", 300),
  rotation: choice("on", ["on", "off"]),
  /** The line of the result that is open, counted from 0; -1: none. */
  open: integer(-1, -1, MOST_TEXTS - 1),
  texts: text(examples, LINK_TEXTS),
};

export const state = signalsOf(fields);
