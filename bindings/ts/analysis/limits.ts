/**
 * Limits of frequencies: the distances to which they tell positions apart, and the positions at which their angles stop
 * changing in a type of numbers. The bounds are those of "Base of RoPE Bounds Context Length" (arXiv 2405.14591) and of "Rotary Positional
 * Embeddings as Phase Modulation" (arXiv 2602.10959), taken of the frequencies themselves, so that they hold for every rule.
 */
import { refusal } from "../module/errors.js";
import { DTYPES } from "../module/numbers.js";
import type { DType } from "../module/tensor.js";
import type { RopeLimits } from "../rope/analysis.js";

/** Significant bits, exponents of the smallest and of the largest number. */
const FORMATS: Readonly<Record<DType, readonly [bits: number, least: number, most: number]>> = {
  float32: [24, -149, 127],
  float16: [11, -24, 15],
  bfloat16: [8, -133, 127],
};

/** Beyond so many distances nobody waits for an answer. */
const FARTHEST = 2 ** 20;

const exponentOf = (x: number) => Math.floor(Math.log2(x));

/** The nearest number of a type, ties to even. */
function nearest(x: number, [bits, least]: readonly number[]): number {
  const unit = 2 ** Math.max(exponentOf(x) - bits! + 1, least!);
  // From 2^52 on a float64 holds whole numbers alone.
  return (x / unit + 2 ** 52 - 2 ** 52) * unit;
}

/** The first position m whose angle m theta is, in the type, that of m + 1. */
function collapseOf(given: number, format: readonly [number, number, number]): number {
  const [bits, least] = format;
  if (given === Infinity) return 0;
  // A power of two changes no answer, and keeps the products finite.
  const theta = exponentOf(given) > 512 ? given * 2 ** -512 : given;
  // Angles that are theta apart can only meet where numbers are farther apart than theta.
  let m = theta <= 2 ** least ? 0 : Math.max(0, Math.floor(2 ** (exponentOf(theta) + bits) / theta) - 2);
  while (nearest(m * theta, format) !== nearest((m + 1) * theta, format)) m++;
  return m;
}

/** The first distance n at which sum_j cos(n theta_j) is below 0. */
function dissimilarFrom(frequencies: readonly number[], context: number): number {
  const pairs = frequencies.length;
  const [stepCos, stepSin] = [Float64Array.from(frequencies, Math.cos), Float64Array.from(frequencies, Math.sin)];
  const [cos, sin] = [new Float64Array(pairs).fill(1), new Float64Array(pairs)];
  for (let n = 1; n < Math.min(context, FARTHEST); n++) {
    let sum = 0;
    for (let j = 0; j < pairs; j++) {
      const [c, s] = [cos[j]!, sin[j]!];
      cos[j] = c * stepCos[j]! - s * stepSin[j]!;
      sin[j] = c * stepSin[j]! + s * stepCos[j]!;
      sum += cos[j]!;
    }
    if (sum < 0) return n;
  }
  return Infinity;
}

export function typeOf(fn: string, type: unknown): DType | undefined {
  if (type === undefined || DTYPES.includes(type as DType)) return type as DType | undefined;
  const allowed = DTYPES.map((each) => JSON.stringify(each)).join(", ");
  throw refusal(typeof type === "string" ? "range" : "type", fn, "type", type, allowed);
}

/** @param given theta_j of each pair, in any order; 0 for one that stands still */
export function limitsOf(given: ArrayLike<number>, context: number, type: DType): RopeLimits {
  const all = Array.from(given, Math.abs);
  const turning = all.filter((theta) => theta > 0);
  const format = FORMATS[type];
  const [bits, , most] = format;
  const epsilon = 2 ** (1 - bits);
  const similarity = dissimilarFrom(all, context);
  const collapses = all.map((theta) => (theta > 0 ? collapseOf(theta, format) : Infinity));
  const position = Math.min(...collapses);
  const fastest = Math.max(...turning);
  const overflow = Math.ceil((2 ** (most + 1) * (1 - epsilon / 4)) / fastest);
  const numbers = {
    epsilon,
    positions: 2 ** bits,
    ...(turning.length > 0 && { collapse: { pair: collapses.indexOf(position), position } }),
    collapsed: collapses.filter((each) => each < context - 1).length,
    belowEpsilon: turning.filter((theta) => theta < epsilon).length,
    overflow: Number.isSafeInteger(overflow) ? overflow : Infinity,
  };
  const limits = { context, type, similarity, numbers, text: "" };
  if (turning.length === 0) return { ...limits, text: "No pair turns, so that nothing tells positions apart.\n" };
  const theta = Math.min(...turning);
  const angle = theta * (context - 1);
  const slowest = {
    pair: all.indexOf(theta),
    theta,
    alias: Math.max(1, Math.ceil((2 * Math.PI) / theta - 0.5)),
    cosine: angle < Math.PI ? Math.cos(angle) : -1,
  };
  return { ...limits, slowest, text: textOf({ ...limits, slowest }, all.length) };
}

function textOf({ context, type, similarity, numbers, slowest }: RopeLimits, pairs: number): string {
  const { pair, alias, cosine } = slowest!;
  const far = similarity === Infinity ? "at every distance" : `up to distance ${similarity - 1}, not at ${similarity}`;
  const sentences = [
    `Pair ${pair} is the slowest: its angles repeat from distance ${alias} on, ${alias < context ? "within" : "beyond"} the context of ${context} positions, where its cosine falls to ${Number(cosine.toPrecision(3))}`,
    `Equal queries and keys score above unrelated ones on average ${far}${similarity === Infinity && context > FARTHEST ? ` below ${FARTHEST}` : ""}`,
    `In ${type}, positions are exact up to ${numbers.positions}, and angles of ${numbers.collapsed} of ${pairs} pairs stop changing from one position to the next within the context${numbers.collapse!.position < context - 1 ? `, first those of pair ${numbers.collapse!.pair} at position ${numbers.collapse!.position}` : ""}`,
    numbers.belowEpsilon > 0
      ? `A step of ${numbers.belowEpsilon} pairs is below ${numbers.epsilon}, the distance of numbers at 1`
      : "",
    numbers.overflow < context ? `From position ${numbers.overflow} on an angle is larger than any number` : "",
  ];
  return sentences
    .filter(Boolean)
    .map((each) => `${each}.\n`)
    .join("");
}
