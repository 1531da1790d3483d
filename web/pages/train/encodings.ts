import type { PositionEncoding } from "ropewalk";
import type { Field } from "../../state/fields.js";

/** In the order of the boxes: what people ask about first. */
export const encodingNames: Readonly<Record<PositionEncoding, string>> = {
  rope: "RoPE",
  learned: "learned",
  sinusoidal: "sinusoidal",
  t5: "T5 bias",
  alibi: "ALiBi",
  "alibi-asymmetric": "ALiBi, two slopes",
  "transformer-xl": "Transformer-XL",
  none: "none",
  "rope-receptive-field": "RoPE, learned field",
  "rope-linear-attention": "RoPE, linear",
  "linear-attention": "linear, no positions",
  "rope-performer": "RoPE, performer",
  performer: "performer, no positions",
};
export const encodings = Object.keys(encodingNames) as PositionEncoding[];

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
