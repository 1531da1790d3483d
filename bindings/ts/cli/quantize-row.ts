/** A row of a matrix in 8 bits, with the arithmetic in float32 that cpp/src/kernels/int8.inl.hpp has. */
const LARGEST = 127;
/** Adding this leaves no bits behind the point: 1.5 * 2^23. */
const ROUNDS = 12582912;
/** Below it the reciprocal is not finite. */
const SMALLEST_NORMAL = 2 ** -126;

/** The integers of a row of `count` numbers. */
export const columnsOf = (count: number) => Math.ceil(count / 32) * 32;

/** The size of the Hadamard matrix for a row of so many integers. */
const sizeFor = (columns: number) => Math.min(columns > 2048 ? 1024 : 128, columns & -columns);

/** True for a number of a block of more than 128 that changes its sign first: an odd count of pairs of bits 2j and 2j + 1. */
function flips(i: number): boolean {
  let odd = false;
  for (let pairs = i & (i >> 1) & 0x155; pairs !== 0; pairs &= pairs - 1) odd = !odd;
  return odd;
}

/** The row with zeros behind it, each block of `size` multiplied by the Hadamard matrix. */
function rotated(row: Float32Array, size: number): Float32Array {
  const out = new Float32Array(columnsOf(row.length));
  out.set(row);
  if (size > 128) for (let i = 0; i < out.length; i++) if (flips(i)) out[i] = -out[i]!;
  for (let h = 1; h < size; h *= 2) {
    for (let i = 0; i < out.length; i++) {
      if (i & h) continue;
      const [a, b] = [out[i]!, out[i + h]!];
      out[i] = a + b;
      out[i + h] = a - b;
    }
  }
  return out;
}

/**
 * Writes whole numbers from -127 to 127, `columnsOf(row.length)` of them, and returns what they are to be multiplied by when
 * they are rotated back. NaN where a value is not finite.
 */
export function quantizeRow(row: Float32Array, out: Int8Array): number {
  const size = sizeFor(out.length);
  const values = rotated(row, size);
  let largest = 0;
  for (const value of values) largest = Math.max(largest, Math.abs(value));
  const step = largest < Number.POSITIVE_INFINITY ? Math.fround(largest / LARGEST) : Number.NaN;
  const factor = step >= SMALLEST_NORMAL ? Math.fround(1 / step) : 0;
  for (let i = 0; i < out.length; i++) out[i] = Math.fround(Math.fround(values[i]! * factor) + ROUNDS) - ROUNDS;
  return step / size;
}

const words = new Uint32Array(1);
const floats = new Float32Array(words.buffer);

/** The value of the bits of a float16. */
function fromFloat16(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

function fromBfloat16(bits: number): number {
  words[0] = bits << 16;
  return floats[0]!;
}

/** Reads numbers of a type of safetensors, little-endian. */
export function float32Reader(dtype: string): (bytes: Buffer) => Float32Array {
  if (dtype === "F32")
    return (bytes) => Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));
  const convert = dtype === "F16" ? fromFloat16 : fromBfloat16;
  return (bytes) => Float32Array.from({ length: bytes.length / 2 }, (_, i) => convert(bytes.readUInt16LE(2 * i)));
}
