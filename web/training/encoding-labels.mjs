// @ts-check
/**
 * The one name of each position encoding for people: the pages, the comparison and its report use it.
 * @type {Readonly<Record<import("ropewalk").PositionEncoding, string>>}
 */
export const encodingLabels = {
  rope: "RoPE",
  learned: "learned",
  sinusoidal: "sinusoidal",
  t5: "T5 bias",
  alibi: "ALiBi, symmetric",
  "alibi-asymmetric": "ALiBi, asymmetric",
  "transformer-xl": "Transformer-XL",
  none: "no positions",
  "rope-receptive-field": "RoPE, receptive field",
  "rope-linear-attention": "RoPE, linear attention",
  "linear-attention": "linear attention, no positions",
  "rope-performer": "RoPE, Performer",
  performer: "Performer, no positions",
  pope: "PoPE",
  "rope-plus-plus": "RoPE++",
  "clipped-rope": "RoPE, clipped",
  "distance-bias": "distance bias",
};
