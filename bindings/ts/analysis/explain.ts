/** Explains how a rule changed each pair, why, and where the magnitude comes from: for people, and as data. */
import type { Core } from "../module/core.js";
import { optionsObject, refusal } from "../module/errors.js";
import type { NativeAnalysis } from "../module/native.js";
import type { ExplainOptions, Explanation } from "../rope/analysis.js";
import { limitsOf, typeOf } from "./limits.js";

/** As bindings/embind/analysis.cpp writes it. */
interface ExplanationJson {
  text: string;
  magnitude: number;
  magnitude_source: string;
  pairs: [axis: number, head: number, pair: number, theta: number, scaledBy: number, band: string][];
}

/** A number to hand on, so that one that is not given is told from any that is. */
export function optionalNumber(fn: string, name: string, value: number | undefined): readonly [0 | 1, number] {
  if (value === undefined) return [0, 0];
  if (typeof value !== "number") throw refusal("type", fn, name, value, "a number");
  return [1, value];
}

export function explain(core: Core<NativeAnalysis>, rope: string, options: ExplainOptions): Explanation {
  const { context, type: given } = optionsObject("explain", "options", options, ["context", "type"]);
  const type = typeOf("explain", given);
  if (type !== undefined && context === undefined)
    throw refusal("type", "explain", "context", context, "a number beside `type`");
  const length = optionalNumber("explain", "context", context);
  const ask = (at: number, size: number) => core.native._ropewalk_explain(at, size, ...length);
  if (core.withText("explain", "`rope`", rope, ask) !== 0) throw core.failure();
  const { text, magnitude, magnitude_source: magnitudeSource, pairs } = JSON.parse(core.text()) as ExplanationJson;
  return {
    text,
    pairs: pairs.map(([axis, head, pair, theta, scaledBy, band]) => {
      const explained = { axis, head, pair, theta, wavelength: (2 * Math.PI) / Math.abs(theta), scaledBy };
      return band === "" ? explained : { ...explained, band };
    }),
    magnitude,
    magnitudeSource,
    ...(type && {
      limits: limitsOf(
        pairs.map(([, , , theta]) => theta),
        context!,
        type,
      ),
    }),
  };
}
