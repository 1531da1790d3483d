/** Questions about a rope, and the shapes of their answers. The folder analysis/ computes them. */
import { failure } from "../module/errors.js";

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

export interface Explanation {
  /** One line each for the head, the rule, every run of pairs, the magnitude and the context. */
  text: string;
  pairs: ExplainedPair[];
  magnitude: number;
  /** "0.1 ln(factor) + 1" */
  magnitudeSource: string;
}

/** The part of the analysis that a rope asks. `rope` is the options of the rope as JSON text. */
export interface RopeAnalysis {
  explain(rope: string, options: { context?: number | undefined }): Explanation;
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
