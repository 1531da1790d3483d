import { choice, signalsOf, text } from "../state/fields.js";

/** The question to the model of the site. The address of the RoFormer page restores it, and the Train page sets it. */
export const questionFields = {
  text: text("the captain gave the rope to the sailor . now the [MASK] has the rope .", 4000),
  /** off: the same weights with all rotations left out, to see what only the rotation knows. */
  rotation: choice("on", ["on", "off"]),
};

export const question = signalsOf(questionFields);
