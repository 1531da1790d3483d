export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** The vector at length 1. */
export function unit(x: Float32Array): Float64Array {
  const length = Math.sqrt(dot(x, x)) || 1;
  return Float64Array.from(x, (value) => value / length);
}

export const cosine = (a: Float32Array, b: Float32Array): number => dot(unit(a), unit(b));
