import { choice, signalsOf } from "../state/fields.js";
import { textOfLook } from "./text.js";

export const questionText = textOfLook("the captain gave the rope to the sailor . now the [MASK] has the rope .");
const ownFields = {
  /** off: the same weights with all rotations left out, to see what only the rotation knows. */
  rotation: choice("on", ["on", "off"]),
};

/** The question to the model of the site. The address of the RoFormer page restores it, and the Train page sets it. */
export const questionFields = { text: questionText.field, ...ownFields };
export const question = { text: questionText.value, ...signalsOf(ownFields) };
