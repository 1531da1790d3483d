/** Blocks of ggml's types as float32, bit for bit as cpp/src/formats/gguf_weights.cpp has them. */

export interface Block {
  name: string;
  elements: number;
  bytes: number;
  /** Undefined for types that safetensors has as well. */
  read?: (bytes: Uint8Array, at: number, out: Float32Array, to: number) => void;
}

const { fround } = Math;

/** A number of half precision. */
function half(bytes: Uint8Array, at: number): number {
  const bits = bytes[at]! | (bytes[at + 1]! << 8);
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}

const signed = (bytes: Uint8Array, at: number): number => (bytes[at]! << 24) >> 24;

/** Numbers of four or five bits in 32: the low four of 16 bytes, then the high ones, with a fifth from `high`. */
const nibbles =
  (has: { minimum: boolean; fifth: boolean }): Block["read"] =>
  (bytes, at, out, to) => {
    const d = half(bytes, at);
    const m = has.minimum ? half(bytes, at + 2) : 0;
    const high = at + (has.minimum ? 4 : 2);
    const q = high + (has.fifth ? 4 : 0);
    const offset = has.minimum ? 0 : has.fifth ? 16 : 8;
    for (let i = 0; i < 32; i++) {
      const both = bytes[q + (i % 16)]!;
      const fifth = has.fifth ? ((bytes[high + (i >> 3)]! >> (i & 7)) & 1) << 4 : 0;
      const n = ((i < 16 ? both & 15 : both >> 4) | fifth) - offset;
      out[to + i] = fround(d * n) + m;
    }
  };

/** Eight runs of 32 with a scale and a minimum of six bits each. */
const runs =
  (fifth: boolean): Block["read"] =>
  (bytes, at, out, to) => {
    const d = half(bytes, at);
    const m = half(bytes, at + 2);
    const s = (i: number) => bytes[at + 4 + i]!;
    const q = at + (fifth ? 48 : 16);
    for (let run = 0; run < 8; run++) {
      const scale = run < 4 ? s(run) & 63 : (s(run + 4) & 15) | ((s(run - 4) >> 6) << 4);
      const least = run < 4 ? s(run + 4) & 63 : (s(run + 4) >> 4) | ((s(run) >> 6) << 4);
      const [factor, minimum] = [fround(d * scale), fround(m * least)];
      for (let i = 0; i < 32; i++) {
        const both = bytes[q + (run >> 1) * 32 + i]!;
        const high = fifth ? ((bytes[at + 16 + i]! >> run) & 1) << 4 : 0;
        out[to + run * 32 + i] = fround(factor * ((run % 2 === 0 ? both & 15 : both >> 4) | high)) - minimum;
      }
    }
  };

const q6: Block["read"] = (bytes, at, out, to) => {
  const d = half(bytes, at + 208);
  for (let i = 0; i < 256; i++) {
    const [part, run, place] = [i >> 7, (i >> 5) & 3, i & 31];
    const low = bytes[at + part * 64 + (run % 2) * 32 + place]!;
    const high = (bytes[at + 128 + part * 32 + place]! >> (2 * run)) & 3;
    const n = (run < 2 ? low & 15 : low >> 4) | (high << 4);
    const factor = fround(d * signed(bytes, at + 192 + part * 8 + 2 * run + (place >> 4)));
    out[to + i] = factor * (n - 32);
  }
};

const q8: Block["read"] = (bytes, at, out, to) => {
  const d = half(bytes, at);
  for (let i = 0; i < 32; i++) out[to + i] = d * signed(bytes, at + 2 + i);
};

/** By their numbers in ggml. */
export const BLOCKS: ReadonlyMap<number, Block> = new Map([
  [0, { name: "F32", elements: 1, bytes: 4 }],
  [1, { name: "F16", elements: 1, bytes: 2 }],
  [30, { name: "BF16", elements: 1, bytes: 2 }],
  [8, { name: "Q8_0", elements: 32, bytes: 34, read: q8 }],
  [2, { name: "Q4_0", elements: 32, bytes: 18, read: nibbles({ minimum: false, fifth: false }) }],
  [3, { name: "Q4_1", elements: 32, bytes: 20, read: nibbles({ minimum: true, fifth: false }) }],
  [6, { name: "Q5_0", elements: 32, bytes: 22, read: nibbles({ minimum: false, fifth: true }) }],
  [7, { name: "Q5_1", elements: 32, bytes: 24, read: nibbles({ minimum: true, fifth: true }) }],
  [12, { name: "Q4_K", elements: 256, bytes: 144, read: runs(false) }],
  [13, { name: "Q5_K", elements: 256, bytes: 176, read: runs(true) }],
  [14, { name: "Q6_K", elements: 256, bytes: 210, read: q6 }],
]);
