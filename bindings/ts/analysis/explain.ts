/** What a rule did to which pairs, why, and where the magnitude comes from: for people, and as data. */
import type { Core } from "../module/core.js";
import { optionsObject, refusal } from "../module/errors.js";
import type { NativeAnalysis } from "../module/native.js";

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
  /** What the rule did to this pair, where it does not do the same to all: "kept", "on the ramp", ... */
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

/** As bindings/embind/analysis.cpp writes it. */
interface ExplanationJson {
  text: string;
  magnitude: number;
  magnitude_source: string;
  pairs: [axis: number, head: number, pair: number, theta: number, scaledBy: number, band: string][];
}

/** A number to hand on, so that one that is not given is told from any that is. */
export function optionalNumber(fn: string, name: string, value: number | undefined): readonly [boolean, number] {
  if (value === undefined) return [false, 0];
  if (typeof value !== "number") throw new TypeError(refusal(fn, name, value, "a number"));
  return [true, value];
}

export function explain(core: Core<NativeAnalysis>, rope: string, options: { context?: number }): Explanation {
  const { context } = optionsObject("explain", "options", options);
  const json = core.native.explain(rope, ...optionalNumber("explain", "context", context));
  if (json === "") throw core.failure();
  const { text, magnitude, magnitude_source: magnitudeSource, pairs } = JSON.parse(json) as ExplanationJson;
  return {
    text,
    pairs: pairs.map(([axis, head, pair, theta, scaledBy, band]) => {
      const explained = { axis, head, pair, theta, wavelength: (2 * Math.PI) / Math.abs(theta), scaledBy };
      return band === "" ? explained : { ...explained, band };
    }),
    magnitude,
    magnitudeSource,
  };
}
