/** Options of ropes whose tokens have several positions, or whose scores decay. */

/** Several position axes: text, height and width of images and video, or time. */
export interface Axes {
  /**
   * How many pairs each axis feeds; d/2 in all. If every axis feeds all d/2 pairs their angles add up, and a custom
   * rule gives frequencies for each axis (learned mixed axes, RoPE-ViT, arXiv 2403.13298).
   */
  sections: readonly number[];
  /**
   * 'chunked': the first section's pairs, then the second's (Qwen2-VL's M-RoPE; images by row and column).
   * 'interleaved': axis a >= 1 of n takes the pairs a, a + n, a + 2n, ... as many as it has, the first axis all others
   * (Qwen3-VL). Default 'chunked'.
   */
  order?: "chunked" | "interleaved";
  /** Each section starts the rule anew, with twice its pairs as the rotary dimension (axial images, Flux). Default false. */
  restartFrequencies?: boolean;
}

/**
 * xPos (arXiv 2212.10554): queries are multiplied by zeta_j^((m - centre) / scaleBase), keys divided by it,
 * zeta_j = (2j + 0.4d) / 1.4d. The centre is fixed, so that cached keys stay true.
 */
export interface XPos {
  /** Default 512. */
  scaleBase?: number;
  /** Default 0. */
  centre?: number;
}
