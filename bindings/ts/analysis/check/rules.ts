/**
 * Frequencies as other libraries compute them, in float64. The library's own rules are strict; these take what the
 * libraries take, a factor below 1 for instance, because an emulated reader has to compute what the original computes.
 */

/** The rotation that a rule makes of its parameters. */
export interface Rotation {
  rule: string;
  base: number;
  /** theta_j in radians per position, one for each rotated pair. */
  frequencies: number[];
  /** Factor of cos and sin. */
  magnitude: number;
  /** Parameters that the table alone determines, in the terms of RopeReport.table. */
  options: Record<string, unknown>;
}

/** A reader does not take the configuration; the message is the original's. */
export class Refusal extends Error {}

/** A reader that does not have the family: it has nothing to say about the configuration. */
export class Absence extends Refusal {}

/** The most pairs or layers; a configuration may hold any number. */
export const MOST_ENTRIES = 65536;

/** 0, 1, ... for pairs and layers that a configuration counts. */
export function indices(count: number): number[] {
  if (count > MOST_ENTRIES) throw new Refusal(`${count} pairs or layers; allowed: at most ${MOST_ENTRIES}`);
  return Array.from({ length: count }, (_, i) => i);
}

const pairs = (d: number): number[] => indices(Math.ceil(d / 2));

/** theta_j = base^(-2j/d) */
export const inverse = (base: number, d: number): number[] => pairs(d).map((j) => base ** ((-2 * j) / d));

export const plain = (base: number, d: number): Rotation => ({
  rule: "default",
  base,
  frequencies: inverse(base, d),
  magnitude: 1,
  options: {},
});

export function linear(base: number, d: number, factor: number): Rotation {
  const frequencies = inverse(base, d).map((theta) => theta / factor);
  return { rule: "linear", base, frequencies, magnitude: 1, options: { factor } };
}

/** Dynamic NTK at a length; the exponent d/(d-2) leaves pair 0 as it is. */
export function dynamic(base: number, d: number, factor: number, trained: number, length: number): Rotation {
  const s = length > trained ? (factor * length) / trained - (factor - 1) : 1;
  const grown = base * s ** (d / (d - 2));
  return { rule: "dynamic", base, frequencies: inverse(grown, d), magnitude: 1, options: { factor } };
}

/** GTE's "ntk" (Su's form), with `mixed` an exponent for each pair. */
export function ntkSu(base: number, d: number, factor: number, mixed: number | undefined): Rotation {
  if (mixed !== undefined) {
    const a = Math.log(factor) / (d / 2) ** mixed;
    const frequencies = inverse(base, d).map((theta, j) => theta / Math.exp(a * (j + 1) ** mixed));
    return { rule: "ntk-mixed", base, frequencies, magnitude: 1, options: { factor, mixed_b: mixed } };
  }
  const shift = factor ** (2 / d);
  const frequencies = inverse(base * factor, d).map((theta) => theta / shift);
  return { rule: "ntk-su", base, frequencies, magnitude: 1, options: { factor } };
}

export interface YarnParameters {
  factor: number;
  original: number;
  betaFast: number;
  betaSlow: number;
  truncate: boolean;
  magnitude: number;
}

/** 0.1 m ln(factor) + 1 */
export const yarnScale = (factor: number, m = 1): number => (factor <= 1 ? 1 : 0.1 * m * Math.log(factor) + 1);

export function yarn(base: number, d: number, given: YarnParameters): Rotation {
  const { factor, original, betaFast, betaSlow, truncate, magnitude } = given;
  if (d % 2 !== 0) throw new Refusal(`RuntimeError: the ramp of YaRN is one pair shorter than ${d} channels`);
  /** The pair that turns `turns` times within the original context. */
  const pairAt = (turns: number) => (d * Math.log(original / (turns * 2 * Math.PI))) / (2 * Math.log(base));
  let [low, high] = [pairAt(betaFast), pairAt(betaSlow)];
  if (truncate) [low, high] = [Math.floor(low), Math.ceil(high)];
  low = Math.max(low, 0);
  high = Math.min(high, d - 1);
  const width = (high === low ? high + 0.001 : high) - low;
  const frequencies = inverse(base, d).map((theta, j) => {
    const kept = 1 - Math.min(Math.max((j - low) / width, 0), 1);
    return (theta / factor) * (1 - kept) + theta * kept;
  });
  return { rule: "yarn", base, frequencies, magnitude, options: { factor, low, high } };
}

export interface Llama3Parameters {
  factor: number;
  lowFactor: number;
  highFactor: number;
  original: number;
}

export function llama3(base: number, d: number, given: Llama3Parameters): Rotation {
  const { factor, lowFactor, highFactor, original } = given;
  const [long, short] = [original / lowFactor, original / highFactor];
  const frequencies = inverse(base, d).map((theta) => {
    const wavelength = (2 * Math.PI) / theta;
    if (wavelength < short) return theta;
    if (wavelength > long) return theta / factor;
    const smooth = (original / wavelength - lowFactor) / (highFactor - lowFactor);
    return ((1 - smooth) * theta) / factor + smooth * theta;
  });
  const options = { factor, shortWavelength: short, longWavelength: long };
  return { rule: "llama3", base, frequencies, magnitude: 1, options };
}

export interface LongRopeParameters {
  short: readonly number[];
  long: readonly number[];
  original: number;
  length: number;
  magnitude: number;
}

/** sqrt(1 + ln(factor) / ln(original)) */
export const longRopeScale = (factor: number, original: number): number =>
  factor <= 1 ? 1 : Math.sqrt(1 + Math.log(factor) / Math.log(original));

export function longRope(base: number, d: number, given: LongRopeParameters): Rotation {
  const factors = given.length > given.original ? given.long : given.short;
  // A list of another length is refused when the model is built, or at the first text that needs it.
  for (const [key, { length }] of [["short_factor", given.short] as const, ["long_factor", given.long] as const])
    if (length !== Math.ceil(d / 2))
      throw new Refusal(`ValueError: ${key} must have length ${Math.ceil(d / 2)}, got ${length}`);
  const frequencies = inverse(base, d).map((theta, j) => theta / factors[j]!);
  const options = {
    short_factor: given.short,
    long_factor: given.long,
    original_max_position_embeddings: given.original,
  };
  return { rule: "longrope", base, frequencies, magnitude: given.magnitude, options };
}

/** Gemma's: the first share of the head's pairs, the others stand still. d is the head dimension. */
export function proportional(base: number, d: number, fraction: number, factor: number): Rotation {
  const turning = Math.floor((fraction * d) / 2);
  const frequencies = inverse(base, d).map((theta, j) => (j < turning ? theta / factor : 0));
  const options = { factor, partial_rotary_factor: fraction };
  return { rule: "proportional", base, frequencies, magnitude: 1, options };
}
