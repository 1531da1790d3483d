/** Which theta_j, in radians per position, and which magnitude multiplies cos and sin. One entry per published rule. */
export type Frequencies =
  /** theta_j = base^(-2j/d), base 10000 unless given. RoFormer, arXiv 2104.09864, section 3.2.2. */
  | { type: "default"; base?: number }
  /** theta_j / factor: position interpolation, arXiv 2306.15595. */
  | { type: "linear"; base?: number; factor: number }
  /** base * factor^(d/(d-2)): the fastest pair is unchanged, the slowest divided by factor. */
  | { type: "ntk"; base?: number; factor: number }
  /** ntk whose factor follows the sequence length; nothing is scaled up to maxPositions. */
  | { type: "dynamic"; base?: number; factor: number; maxPositions: number; sequenceLength: number }
  /** Fast pairs kept, slow ones divided by factor, a ramp between. YaRN, arXiv 2309.00071. betaFast 32, betaSlow 1, truncate true. */
  | {
      type: "yarn";
      base?: number;
      factor: number;
      originalMaxPositions: number;
      betaFast?: number;
      betaSlow?: number;
      attentionFactor?: number;
      mscale?: number;
      mscaleAllDim?: number;
      truncate?: boolean;
    }
  /** A divisor for each pair: the long ones beyond originalMaxPositions. LongRoPE, arXiv 2402.13753. */
  | {
      type: "longrope";
      base?: number;
      shortFactor: ArrayLike<number>;
      longFactor: ArrayLike<number>;
      originalMaxPositions: number;
      sequenceLength: number;
      factor?: number;
      attentionFactor?: number;
    }
  /** Short wavelengths kept, long ones multiplied by factor, a ramp in frequency between. Llama 3.1. */
  | {
      type: "llama3";
      base?: number;
      factor: number;
      lowFrequencyFactor: number;
      highFrequencyFactor: number;
      originalMaxPositions: number;
    }
  /** The first `fraction` of the head's pairs turn, at base^(-2j/D) / factor; the others stand still. Gemma. */
  | { type: "proportional"; base?: number; fraction: number; factor?: number }
  /** theta*_j = alpha / 10000^rho + (1 - alpha) theta_j; alpha and rho may be given per head. */
  | { type: "receptive-field"; base?: number; alpha: number | ArrayLike<number>; rho: number | ArrayLike<number> }
  /** Explicit theta_j: length d/2, or heads * d/2 for frequencies of each head's own. Magnitude 1 unless given. */
  | { type: "custom"; frequencies: ArrayLike<number>; magnitude?: number };
