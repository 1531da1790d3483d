/** A row of a matrix in 8 bits, with the arithmetic in float32 that cpp/src/kernels/int8.inl.hpp has. */
const LARGEST = 63;
/** Adding this leaves no bits behind the point: 1.5 * 2^23. */
const ROUNDS = 12582912;

/** Writes whole numbers from -63 to 63, and returns what they are to be multiplied by. NaN where a value is not finite. */
export function quantizeRow(row: Float32Array, out: Int8Array): number {
  let largest = 0;
  for (const value of row) largest = Math.max(largest, Math.abs(value));
  const scale = largest < Number.POSITIVE_INFINITY ? Math.fround(largest / LARGEST) : Number.NaN;
  const factor = scale > 0 ? Math.fround(1 / scale) : 0;
  for (let i = 0; i < row.length; i++) out[i] = Math.fround(Math.fround(row[i]! * factor) + ROUNDS) - ROUNDS;
  return scale;
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
