import { choices, signalsOf, text } from "../../state/fields.js";
import { libraries, readers } from "./readers.js";

export const fields = {
  /** A config.json as it was pasted. One that is too long for a link is left out of it. */
  config: text("", 12000),
  layers: text("", 64),
  /** Frequencies as the program under test printed them, or a row of cos and sin as JSON. */
  printed: text("", 12000),
  /** Length of the sequence that all of the page is about; the model's own unless given. */
  tokens: text("", 12),
  readers: choices(libraries, readers),
};

export const state = signalsOf(fields);
