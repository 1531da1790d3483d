/** Options of ropes whose tokens have several positions, or whose scores decay. */

/** Several position axes: text, height and width of images and video, or time. */
export interface Axes {
  /**
   * How many pairs each axis feeds; d/2 in all. If every axis feeds all d/2 pairs their angles add up, and a custom
   * rule gives frequencies for each axis (learned mixed axes, RoPE-ViT, arXiv 2403.13298). Needed unless `order` is a
   * list.
   */
  sections?: readonly number[] | undefined;
  /**
   * 'chunked': the first section's pairs, then the second's (Qwen2-VL's M-RoPE; images by row and column).
   * 'interleaved': axis a >= 1 of n takes the pairs a, a + n, a + 2n, ... as many as it has, the first axis all others
   * (Qwen3-VL). A list: the axis of each of the d/2 pairs (ERNIE 4.5 VL: rows and columns alternate, time has the last
   * pairs). Default 'chunked'.
   */
  order?: "chunked" | "interleaved" | readonly number[] | undefined;
  /**
   * Where pairing 'half' has the partner of a channel. 'head': d/2 channels on. 'section': inside the part of the head
   * that the axis has, half of that part on (the pictures of Gemma 4); needs 'chunked'. Default 'head'.
   */
  pairWithin?: "head" | "section" | undefined;
  /** Each section starts the rule anew, with twice its pairs as the rotary dimension (axial images, Flux). Default false. */
  restartFrequencies?: boolean | undefined;
}

/**
 * The query at position m is multiplied by 1 + scale * ln(1 + floor((m + offset) / length)), the channels that do not
 * rotate included; keys (`role: "key"`) are not. With several axes m is the position on the first. Llama 4 (in layers
 * without rotation) and Ministral 3 have it. Positions are at least -offset.
 */
export interface QueryScale {
  /** At least 0. */
  scale: number;
  /** Positions in which the scale stays the same; above 0. */
  length: number;
  /** Llama 4: 1, Ministral 3: 0. Default 0. */
  offset?: 0 | 1 | undefined;
}

/**
 * xPos (arXiv 2212.10554): queries are multiplied by zeta_j^((m - centre) / scaleBase), keys divided by it,
 * zeta_j = (2j + 0.4d) / (1.4d). The centre is fixed, so that cached keys stay true.
 */
export interface XPos {
  /** Positions over which a query is multiplied by zeta_j once. Above 0. Default 512. */
  scaleBase?: number | undefined;
  /** The position at which nothing is multiplied. Finite. Default 0. */
  centre?: number | undefined;
}
