/** Questions about a rope, and the shapes of their answers. The folder analysis/ computes them. */
import { failure } from "../module/errors.js";
import type { DType } from "../module/tensor.js";

export interface HeadChoice {
  /** Index of the head, from 0, where heads have frequencies of their own; else 0. Default 0. */
  head?: number | undefined;
}

/** score = unrotated + cos(n phi) inPhase - sin(n phi) quadrature at each distance n, before the division by sqrt(D). */
export interface Score {
  score: Float64Array;
  /** a'(n) = Re sum_j h_j e^{i n (theta_j - phi)}, h_j = magnitude^2 q_j conj(k_j). */
  inPhase: Float64Array;
  /** b'(n), the imaginary part: the Hilbert transform of a' where every theta_j > phi. */
  quadrature: Float64Array;
  /** alpha / 10000^rho for the rule 'receptive-field', 0 for all others. */
  phi: number;
  /** The part of the channels outside the rotated window, the same at every distance. */
  unrotated: number;
}

/** How near b' is to the Hilbert transform of a', which is taken as a black box: sampled, transformed, compared. */
export interface HilbertCheck {
  /** The largest difference over the distances, in units of sum_j |h_j|. */
  error: number;
  /** How large a difference the numerical transform itself may make. */
  bound: number;
  /** error <= bound. Not where some theta_j <= phi: a constant's transform is 0, that of cos(-w n) is sin(w n). */
  holds: boolean;
}

export interface Turns {
  /** context * |theta_j| / (2 pi), in the order of `frequencies`. */
  turns: Float64Array;
  /** The places in `turns` below 1: a model trained on this context has not seen all of their angles. */
  incomplete: number[];
}

export interface ReceptiveFieldQuestion extends HeadChoice {
  /** Between -1 and 1. Default 0.5. */
  threshold?: number | undefined;
  /** The search ends at this distance, in positions. Default 131072. */
  limit?: number | undefined;
}

export interface ExplainedPair {
  /** 0 unless the rule gives axes or heads frequencies of their own. */
  axis: number;
  head: number;
  pair: number;
  /** Radians per position. */
  theta: number;
  /** 2 pi / |theta|, positions; infinite where theta is 0. */
  wavelength: number;
  /** theta divided by what it would be without the rule: 1/8 where the rule divides by 8. */
  scaledBy: number;
  /** How the rule treats this pair: "kept", "divided by factor", and between them "on the ramp" (yarn) or "blended" (llama3). */
  band?: string;
}

/**
 * Limits of the frequencies of a rope, of all heads and axes together. The bounds: "Base of RoPE Bounds Context Length",
 * arXiv 2405.14591; "Rotary Positional Embeddings as Phase Modulation", arXiv 2602.10959.
 */
export interface RopeLimits {
  /** Positions of the sequence, from 0 on. */
  context: number;
  /** The type of numbers that angles are rounded to. */
  type: DType;
  /** The slowest pair that turns; absent where none does. */
  slowest?: {
    pair: number;
    /** Radians per position. */
    theta: number;
    /**
     * The first distance, in positions, at which its angle is within half a step of where it began: with theta = 1 / base
     * that is 2 pi base, the bound on aliasing.
     */
    alias: number;
    /**
     * The smallest cosine of its angle within the context, the bound on stability: it is at least eps where
     * context - 1 <= arccos(eps) / theta, and -1 from half a turn on.
     */
    cosine: number;
  };
  /**
   * The first distance within the context at which sum_j cos(n theta_j) is below 0: from there on equal queries and keys
   * may score below unrelated ones. Infinity: none, of the first 1,048,576.
   */
  similarity: number;
  /** The angles m * theta_j, rounded to the type. */
  numbers: {
    /** The distance from 1 to the next number. */
    epsilon: number;
    /** Whole numbers up to this are exact: the position behind it rounds to it. */
    positions: number;
    /** The first position whose angle is that of the next one, and the pair. */
    collapse?: { pair: number; position: number };
    /** Pairs of which that is so within the context. */
    collapsed: number;
    /** Pairs that turn by less than epsilon from a position to the next: with theta = 1 / base, those of base > 1 / epsilon. */
    belowEpsilon: number;
    /** The first position whose angle rounds to infinity, in float16. Infinity: none. */
    overflow: number;
  };
  /** The same for people, a sentence in each line. */
  text: string;
}

export interface ExplainOptions {
  /** The pairs that never complete a turn within so many positions are named. */
  context?: number | undefined;
  /** The type of numbers of `limits`; needs `context`. Default: no limits. */
  type?: DType | undefined;
}

export interface Explanation {
  /** One line each for the head, the rule, every run of pairs, the magnitude and the context. */
  text: string;
  pairs: ExplainedPair[];
  magnitude: number;
  /** "0.1 ln(factor) + 1" */
  magnitudeSource: string;
  /** Limits within `context`; where `type` was given. */
  limits?: RopeLimits;
}

/** The part of the analysis that a rope asks. `rope` is the options of the rope as JSON text. */
export interface RopeAnalysis {
  explain(rope: string, options: ExplainOptions): Explanation;
  decay(rope: string, distances: ArrayLike<number>, options: HeadChoice): Float64Array;
  score(
    rope: string,
    q: ArrayLike<number>,
    k: ArrayLike<number>,
    distances: ArrayLike<number>,
    options: HeadChoice,
  ): Score;
  hilbertError(
    rope: string,
    q: ArrayLike<number>,
    k: ArrayLike<number>,
    distances: ArrayLike<number>,
    options: HeadChoice,
  ): HilbertCheck;
  turns(rope: string, context: number, frequencyCount: number): Turns;
  effectiveReceptiveField(rope: string, options: ReceptiveFieldQuestion): number;
}

/** @throws Error without `load({ analysis: true })`. `fn` is the function that needs it. */
export function analysisOf<A extends RopeAnalysis>(fn: string, loaded: { analysis: A | undefined }): A {
  if (loaded.analysis === undefined) throw failure("type", fn, "call and await load({ analysis: true }) first");
  return loaded.analysis;
}
