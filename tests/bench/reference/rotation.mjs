// Rotation in float64: what every candidate is checked against before it is timed.

/** cos and sin of m * 10000^(-2j/d), rounded once to float32: [sequence, dim / 2] each. */
export function tables(sequence, dim, start = 0) {
  const pairs = dim / 2;
  const cos = new Float32Array(sequence * pairs);
  const sin = new Float32Array(sequence * pairs);
  for (let s = 0; s < sequence; s++) {
    for (let j = 0; j < pairs; j++) {
      const angle = (start + s) * 10000 ** ((-2 * j) / dim);
      cos[s * pairs + j] = Math.cos(angle);
      sin[s * pairs + j] = Math.sin(angle);
    }
  }
  return { cos, sin };
}

/**
 * Throws unless `actual` is `x` [batch, sequence, heads, dim], rotated. Of long arrays every 31st token is looked at, and
 * the first and the last. 5e-7 is four roundings of a float32 near 1, the numbers being in [-1, 1).
 */
export function checkRotation(actual, x, [batch, sequence, heads, dim], pairing, { cos, sin }, tolerance = 5e-7) {
  if (actual.length !== x.length) throw new Error(`its result has ${actual.length} numbers, not ${x.length}`);
  const pairs = dim / 2;
  const tokens = batch * sequence;
  const step = tokens > 512 ? 31 : 1;
  for (let i = 0; i < tokens + step - 1; i += step) {
    const token = Math.min(i, tokens - 1);
    const row = (token % sequence) * pairs;
    for (let h = 0; h < heads; h++) {
      const head = (token * heads + h) * dim;
      for (let j = 0; j < pairs; j++) {
        const a = head + (pairing === "half" ? j : 2 * j);
        const b = pairing === "half" ? a + pairs : a + 1;
        const first = x[a] * cos[row + j] - x[b] * sin[row + j];
        const second = x[a] * sin[row + j] + x[b] * cos[row + j];
        const error = Math.max(Math.abs(actual[a] - first), Math.abs(actual[b] - second));
        if (!(error <= tolerance)) {
          throw new Error(`its result is wrong at token ${token}, head ${h}, pair ${j}: off by ${error}`);
        }
      }
    }
  }
}
