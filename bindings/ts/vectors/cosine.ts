/** Cosine of two vectors, in float64. */
import { refusal } from "../module/errors.js";

export function lengthOf(vector: ArrayLike<number>): number {
  let squares = 0;
  for (let i = 0; i < vector.length; i++) squares += vector[i]! * vector[i]!;
  return Math.sqrt(squares);
}

/**
 * Cosine of the angle between two vectors of the same length, from -1 to 1: their dot product divided by their lengths.
 * 0 where one of them is all zeros.
 *
 * @throws RangeError for vectors of different lengths, and TypeError for what is no vector, such as a promise of one.
 * @example
 * const [a, b] = await model.embed(["a sailor ties a rope", "someone fastens a line"]);
 * console.log(cosine(a, b));
 */
export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  for (const [name, x] of [
    ["a", a],
    ["b", b],
  ] as const)
    if (typeof x?.[0] !== "number" && x?.length !== 0)
      throw refusal("type", "cosine", name, x, "one vector of numbers");
  if (a.length !== b.length) throw refusal("range", "cosine", "b.length", b.length, `that of \`a\`, ${a.length}`);
  return cosineOf(a, b, lengthOf(a));
}

/** The same where the length of `a` is known. */
export function cosineOf(a: ArrayLike<number>, b: ArrayLike<number>, lengthA: number): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  const lengths = lengthA * lengthOf(b);
  return lengths === 0 ? 0 : Math.max(-1, Math.min(1, sum / lengths));
}
