import { choice, integer, text } from "../../state/fields.js";

export const roformerFields = {
  text: text("the captain gave the rope to the sailor . now the [MASK] has the rope .", 4000),
  /** off: the same weights without any turning, to see what only the rotation knows. */
  rotation: choice("on", ["on", "off"]),
  layer: integer(0, 0, 95),
  head: integer(0, 0, 127),
  /** The locked row (query) and column (key) of the large head; -1: none. */
  from: integer(-1, -1, 4095),
  to: integer(-1, -1, 4095),
  /** The locked distance m - n of the curve of scores. */
  distance: integer(0, -4095, 4095),
};
