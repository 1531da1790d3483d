/** The functions that need no object; the entries export them beside `load`, which they need to have been awaited. */

import type { CheckOptions, RopeReport, RopeSubject } from "./analysis/check/report.js";
import type { PairingConversion } from "./analysis/convert.js";
import type { ReceptiveFieldFit, ReceptiveFieldFitOptions } from "./analysis/fit.js";
import type { ConfigOptions, ConfigReading } from "./config/config.js";
import { lastLoaded } from "./loaded.js";
import type { ByteSource } from "./module/bytes.js";
import type { ErrorDetails } from "./module/errors.js";
import type { LoadProgress } from "./module/receive.js";
import { analysisOf } from "./rope/analysis.js";
import { detectPairing as detectPairingIn } from "./rope/detect.js";
import type { Pairing } from "./rope/pairing.js";
import type { Placement } from "./rope/placement.js";
import type { RopeOptions } from "./rope/rope.js";

export { cosine } from "./vectors/cosine.js";

/** True for an error that Ropewalk threw: it has the members of `ErrorDetails`. */
export function isRopewalkError(error: unknown): error is Error & ErrorDetails {
  return error instanceof Error && "code" in error && "function" in error;
}

/** In those modules that load() made last. */
const lastAnalysis = (fn: string) => analysisOf(fn, lastLoaded(fn));

/**
 * Reads Hugging Face's config.json, parsed, old or new (`rope_theta`, `rope_scaling` or `rope_parameters`,
 * `partial_rotary_factor`, `head_dim`, a rule for each type of layers), or GGUF metadata, which has the key
 * `general.architecture`. Strict: a key about rope that nobody reads is an error, since wrong frequencies only show as
 * a model that is a little worse. A configuration holds at most 2^18 values and 2^24 characters, and is at most 64
 * levels deep.
 *
 * @throws TypeError or RangeError that names the key, its value and what is allowed; Error before `load()`.
 */
export function ropeOptionsFromConfig(config: object, options: ConfigOptions = {}): RopeOptions {
  return lastAnalysis("ropeOptionsFromConfig").optionsFromConfig(config, options);
}

/**
 * As `ropeOptionsFromConfig`, with what the configuration says beside the rotation itself: layers that do not rotate, the
 * scales of queries and of the softmax, and a note for each assumption that the reading rests on.
 *
 * @throws as `ropeOptionsFromConfig`.
 */
export function readRopeConfig(config: object, options: ConfigOptions = {}): ConfigReading {
  return lastAnalysis("readRopeConfig").readConfig(config, options);
}

/**
 * Metadata of a GGUF file, for `ropeOptionsFromConfig`, `readRopeConfig` and `checkRope`. Reads the header and the tensors
 * that divide frequencies (`rope_freqs.weight`, `rope_factors_long.weight`, `rope_factors_short.weight`), which stand under
 * their names; never the weights. Arrays of more than 4096 items, such as the vocabulary, are left out.
 *
 * @throws TypeError or RangeError that says what is wrong with a file that is malformed; Error before `load()`.
 */
export async function ggufMetadata(source: ByteSource, options: LoadProgress = {}): Promise<Record<string, unknown>> {
  return lastAnalysis("ggufMetadata").ggufMetadata(source, options);
}

/**
 * Compares how readers interpret a configuration, and judges a table of frequencies or a row of cos and sin: by itself, or
 * beside the configuration that it should follow. Other libraries are emulated at the versions that `source` names.
 *
 * ```ts
 * await load({ analysis: true });
 * const { code, verdict } = checkRope({ config }, { readers: ["transformers-4", "transformers-5", "llama.cpp"] });
 * ```
 *
 * @throws TypeError or RangeError for an empty subject, an unknown reader, a context below 1, a layer type that the
 * configuration does not have; Error before `load()`. A configuration that a reader refuses is no error: see `refusals`.
 */
export function checkRope(subject: RopeSubject, options: CheckOptions = {}): RopeReport {
  return lastAnalysis("checkRope").checkRope(subject, options);
}

/**
 * The numbers of a printed tensor, array or list, for `RopeSubject.inverseFrequencies`: `print(inv_freq)` of PyTorch or
 * NumPy, JSON, or one number a line.
 *
 * @throws RangeError where the text is abbreviated with "..." or holds no number; Error before `load()`.
 */
export function parsePrintedNumbers(text: string): number[] {
  return lastAnalysis("parsePrintedNumbers").parsePrintedNumbers(text);
}

/**
 * Rows of a query or key projection [heads * headDim, columns] (or its bias, or a q/k norm weight) so that rotating by
 * `to` what the new weight projects gives, in another order of channels, what rotating by `from` gave: scores do not
 * change. Exact, there and back. Value and output projections stay as they are. float16 and bfloat16 weights may
 * come as their 16-bit patterns. Returns a new array.
 */
export function convertPairing<T extends Float32Array | Uint16Array>(weight: T, options: PairingConversion): T {
  return lastAnalysis("convertPairing").convertPairing(weight, options) as T;
}

/**
 * Detects the pairing that takes `x` to `rotated`, both laid out as `placement` says; undefined if neither does. The
 * pairing of `rope` does not matter. Samples that came through bfloat16 or float32 angles still fit.
 *
 * @throws RangeError also for a sample that both pairings rotate alike: rotaryDim 2, position 0, zeros.
 */
export function detectPairing(
  x: Float32Array,
  rotated: Float32Array,
  rope: RopeOptions,
  placement: Placement,
): Pairing | undefined {
  return detectPairingIn(lastLoaded("detectPairing").core, x, rotated, rope, placement);
}

/**
 * alpha in [0, 1] and rho in [0, 8] whose mean kernel K(n) = (2/d) sum_j cos(n theta*_j), theta*_j = alpha / 10000^rho +
 * (1 - alpha) base^(-2j/d), is nearest to the wanted values: divide a measured curve by its value at distance 0. By
 * descent on our own gradients, from starts that a search finds. Deterministic. Some curves do not say which alpha and
 * rho made them (tiny phi, headDim 2, all distances multiples of one number); then one that fits is found.
 *
 * Rejects with RangeError or TypeError for fewer than 2 distances, lengths that differ, values that are not finite.
 */
export async function fitReceptiveField(
  wanted: { distances: ArrayLike<number>; values: ArrayLike<number> },
  options: ReceptiveFieldFitOptions,
): Promise<ReceptiveFieldFit> {
  return lastAnalysis("fitReceptiveField").fitReceptiveField(wanted, options);
}
