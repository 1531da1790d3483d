/** How exactly the numbers of a table are known. */

export interface TablePrecision {
  /** A name for people, where the table is coarser than float32. */
  name: string | undefined;
  /** Relative error that rounding and float32 arithmetic may have made. */
  tolerance: number;
  /** Relative error of float64 arithmetic, for a table that has the digits of float64. It is tried first. */
  float64?: number;
}

const bits = new DataView(new ArrayBuffer(4));

/** True if the value is one of bfloat16: the upper half of a float32. */
function isBfloat16(value: number): boolean {
  bits.setFloat32(0, value);
  return Math.fround(value) === value && bits.getUint16(2) === 0;
}

/** A float16 has 11 significant bits. */
function isFloat16(value: number): boolean {
  bits.setFloat32(0, value);
  return Math.fround(value) === value && (bits.getUint32(0) & 0x1fff) === 0;
}

/** Significant decimal digits that write all values. */
function digitsOf(values: readonly number[]): number {
  let digits = 1;
  for (const value of values) {
    while (digits < 17 && Number(value.toPrecision(digits)) !== value) digits++;
  }
  return digits;
}

/** Float32 chains of PyTorch are within 1e-6 of the exact value. */
const FLOAT32 = 2e-6;
/** Far above the rounding of a chain in float64, far below that of one in float32. */
const FLOAT64 = 1e-10;
/** Enough to write every float32. */
const FLOAT32_DIGITS = 9;

export function precisionOf(values: readonly number[]): TablePrecision {
  const telling = values.filter((value) => value !== 0 && value !== 1);
  if (telling.length >= 3) {
    if (telling.every(isBfloat16)) return { name: "bfloat16", tolerance: 2 ** -8 };
    if (telling.every(isFloat16)) return { name: "float16", tolerance: 2 ** -10 };
  }
  const digits = Math.max(digitsOf(values), 5);
  if (digits <= 6) return { name: `${digits} digits`, tolerance: 0.51 * 10 ** (1 - digits) };
  const isFloat64 = digits > FLOAT32_DIGITS && !values.every((value) => Math.fround(value) === value);
  return { name: undefined, tolerance: FLOAT32, ...(isFloat64 && { float64: FLOAT64 }) };
}
