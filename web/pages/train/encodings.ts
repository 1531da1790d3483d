import type { PositionEncoding } from "ropewalk";
import type { Field } from "../../state/fields.js";
import { encodingLabels } from "../../training/encoding-labels.mjs";

/** In the order of the boxes: what people ask about first. */
export const encodings = Object.keys(encodingLabels) as PositionEncoding[];

/** As many as stay apart in one drawing. */
export const MOST = 5;

/** Some of them, each once, as `rope,learned`. */
export function encodingsField(fallback: readonly PositionEncoding[]): Field<readonly PositionEncoding[]> {
  return {
    fallback,
    allowed: `1 to ${MOST} of ${encodings.join(", ")}`,
    parse(raw) {
      const parts = raw.split(",");
      const known = encodings.filter((name) => parts.includes(name));
      return known.length === parts.length && known.length >= 1 && known.length <= MOST ? known : undefined;
    },
    format: (value) => value.join(","),
  };
}
