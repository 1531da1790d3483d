/** GGUF files made up for a test: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md */

export type GgufValue = number | boolean | string | { readonly real: number };

interface GgufTensor {
  readonly name: string;
  /** Rows before columns. */
  readonly shape: readonly number[];
  /** The number of its type in ggml. */
  readonly type: number;
  /** Where its data begin behind the header. */
  readonly offset: number;
}

const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
const u64 = (value: number) => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
const text = (value: string) => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);

function typed(value: GgufValue): Buffer {
  if (typeof value === "string") return Buffer.concat([u32(8), text(value)]);
  if (typeof value === "boolean") return Buffer.concat([u32(7), Buffer.of(value ? 1 : 0)]);
  if (typeof value === "number") return Buffer.concat([u32(4), u32(value)]);
  return Buffer.concat([u32(6), Buffer.from(Float32Array.of(value.real).buffer)]);
}

/** An entry of the metadata. */
export const ggufEntry = (key: string, value: GgufValue): Buffer => Buffer.concat([text(key), typed(value)]);

/** Bytes, and zeros up to the next multiple of 32. */
export const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc((32 - (bytes.length % 32)) % 32)]);

/** All that stands before the data of the tensors. */
export function ggufHeader(metadata: Readonly<Record<string, GgufValue>>, tensors: readonly GgufTensor[]): Buffer {
  const entries = Object.entries(metadata);
  return padded(
    Buffer.concat([
      Buffer.from("GGUF"),
      u32(3),
      u64(tensors.length),
      u64(entries.length),
      ...entries.map(([key, value]) => ggufEntry(key, value)),
      ...tensors.flatMap(({ name, shape, type, offset }) => [
        text(name),
        u32(shape.length),
        ...[...shape].reverse().map(u64),
        u32(type),
        u64(offset),
      ]),
    ]),
  );
}
