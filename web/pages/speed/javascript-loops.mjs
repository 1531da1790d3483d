/**
 * Rotation in plain JavaScript, as one writes it on typed arrays: several ways, since which is fastest depends on the
 * engine and on the shape. x [batch, sequence, heads, dim] in place, cos and sin [sequence, dim / 2]. The Speed page and
 * the benchmark (tests/bench) measure these same functions.
 */

function nestedHalf(x, cos, sin, batch, sequence, heads, dim) {
  const pairs = dim / 2;
  let head = 0;
  for (let b = 0; b < batch; b++) {
    for (let s = 0; s < sequence; s++) {
      const row = s * pairs;
      for (let h = 0; h < heads; h++, head += dim) {
        for (let j = 0; j < pairs; j++) {
          const a = x[head + j];
          const z = x[head + pairs + j];
          const c = cos[row + j];
          const n = sin[row + j];
          x[head + j] = a * c - z * n;
          x[head + pairs + j] = a * n + z * c;
        }
      }
    }
  }
}

function nestedInterleaved(x, cos, sin, batch, sequence, heads, dim) {
  const pairs = dim / 2;
  let head = 0;
  for (let b = 0; b < batch; b++) {
    for (let s = 0; s < sequence; s++) {
      const row = s * pairs;
      for (let h = 0; h < heads; h++, head += dim) {
        for (let j = 0; j < pairs; j++) {
          const at = head + 2 * j;
          const a = x[at];
          const z = x[at + 1];
          const c = cos[row + j];
          const n = sin[row + j];
          x[at] = a * c - z * n;
          x[at + 1] = a * n + z * c;
        }
      }
    }
  }
}

/** A row of the table is read once for all heads. */
function headsInsideHalf(x, cos, sin, batch, sequence, heads, dim) {
  const pairs = dim / 2;
  for (let token = 0; token < batch * sequence; token++) {
    const row = (token % sequence) * pairs;
    const first = token * heads * dim;
    for (let j = 0; j < pairs; j++) {
      const c = cos[row + j];
      const n = sin[row + j];
      for (let h = 0, at = first + j; h < heads; h++, at += dim) {
        const a = x[at];
        const z = x[at + pairs];
        x[at] = a * c - z * n;
        x[at + pairs] = a * n + z * c;
      }
    }
  }
}

function headsInsideInterleaved(x, cos, sin, batch, sequence, heads, dim) {
  const pairs = dim / 2;
  for (let token = 0; token < batch * sequence; token++) {
    const row = (token % sequence) * pairs;
    const first = token * heads * dim;
    for (let j = 0; j < pairs; j++) {
      const c = cos[row + j];
      const n = sin[row + j];
      for (let h = 0, at = first + 2 * j; h < heads; h++, at += dim) {
        const a = x[at];
        const z = x[at + 1];
        x[at] = a * c - z * n;
        x[at + 1] = a * n + z * c;
      }
    }
  }
}

function headHalf(x, head, cos, sin, row, pairs) {
  for (let j = 0; j < pairs; j += 2) {
    const a = x[head + j];
    const z = x[head + pairs + j];
    const a1 = x[head + j + 1];
    const z1 = x[head + pairs + j + 1];
    const c = cos[row + j];
    const n = sin[row + j];
    const c1 = cos[row + j + 1];
    const n1 = sin[row + j + 1];
    x[head + j] = a * c - z * n;
    x[head + j + 1] = a1 * c1 - z1 * n1;
    x[head + pairs + j] = a * n + z * c;
    x[head + pairs + j + 1] = a1 * n1 + z1 * c1;
  }
}

/** A function for one head, two pairs at a time. */
function byHeadHalf(x, cos, sin, batch, sequence, heads, dim) {
  for (let token = 0; token < batch * sequence; token++) {
    const row = ((token % sequence) * dim) / 2;
    for (let h = 0; h < heads; h++) headHalf(x, (token * heads + h) * dim, cos, sin, row, dim / 2);
  }
}

function headInterleaved(x, head, cos, sin, row, pairs) {
  for (let j = 0, at = head; j < pairs; j += 2, at += 4) {
    const a = x[at];
    const z = x[at + 1];
    const a1 = x[at + 2];
    const z1 = x[at + 3];
    const c = cos[row + j];
    const n = sin[row + j];
    const c1 = cos[row + j + 1];
    const n1 = sin[row + j + 1];
    x[at] = a * c - z * n;
    x[at + 1] = a * n + z * c;
    x[at + 2] = a1 * c1 - z1 * n1;
    x[at + 3] = a1 * n1 + z1 * c1;
  }
}

function byHeadInterleaved(x, cos, sin, batch, sequence, heads, dim) {
  for (let token = 0; token < batch * sequence; token++) {
    const row = ((token % sequence) * dim) / 2;
    for (let h = 0; h < heads; h++) headInterleaved(x, (token * heads + h) * dim, cos, sin, row, dim / 2);
  }
}

/**
 * @typedef {(
 *   x: Float32Array,
 *   cos: Float32Array,
 *   sin: Float32Array,
 *   batch: number,
 *   sequence: number,
 *   heads: number,
 *   dim: number,
 * ) => void} RotationLoop
 */

/** @type {Readonly<Record<"nested" | "heads inside" | "by head", Readonly<Record<"half" | "interleaved", RotationLoop>>>>} */
export const LOOPS = {
  nested: { half: nestedHalf, interleaved: nestedInterleaved },
  "heads inside": { half: headsInsideHalf, interleaved: headsInsideInterleaved },
  "by head": { half: byHeadHalf, interleaved: byHeadInterleaved },
};
