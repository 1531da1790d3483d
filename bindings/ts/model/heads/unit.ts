/** Arithmetic in float64 in a fixed order, by operations that every engine rounds alike. */

/** Divides by the length, or by 1e-12 where the length is less. */
export function toUnit(x: Float64Array): Float64Array {
  let squares = 0;
  for (const each of x) squares += each * each;
  const length = Math.max(Math.sqrt(squares), 1e-12);
  for (let i = 0; i < x.length; i++) x[i] = x[i]! / length;
  return x;
}

const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
const bits = new DataView(new ArrayBuffer(8));

/**
 * ln(1 + x) for x >= 0 within 1e-15, relatively; Math.log1p may differ in its last bit from engine to engine. With
 * 1 + x = 2^k m and s = (m - 1) / (m + 1), ln m = 2 (s + s^3/3 + s^5/5 + ...).
 */
export function exactLog1p(x: number): number {
  const sum = 1 + x;
  if (sum === Number.POSITIVE_INFINITY) return sum;
  bits.setFloat64(0, sum);
  let k = (bits.getUint32(0) >>> 20) - 1023;
  bits.setUint32(0, (bits.getUint32(0) & 0xfffff) | 0x3ff00000);
  let m = bits.getFloat64(0);
  if (m > Math.SQRT2) {
    m /= 2;
    k++;
  }
  // The part of x that the sum has rounded away.
  const lost = (x > 1 ? 1 - (sum - x) : x - (sum - 1)) / sum;
  const s = (m - 1) / (m + 1);
  const square = s * s;
  let series = 0;
  for (let n = 25; n >= 1; n -= 2) series = series * square + 1 / n;
  return k * LN2_HIGH + (2 * s * series + (k * LN2_LOW + lost));
}
