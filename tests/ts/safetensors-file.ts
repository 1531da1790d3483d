/** Safetensors files made up for a test, and numbers for them. */

export interface TensorValues {
  name: string;
  shape: number[];
  values: Float32Array;
}

/** The float32 tensors of a file. */
export function tensorsIn(file: Buffer): TensorValues[] {
  const length = Number(file.readBigUInt64LE());
  const header = JSON.parse(file.toString("utf8", 8, 8 + length)) as Record<
    string,
    { shape: number[]; data_offsets: [number, number] }
  >;
  return Object.entries(header).flatMap(([name, { shape, data_offsets: offsets }]) => {
    if (name === "__metadata__") return [];
    const [begin, end] = offsets.map((offset) => 8 + length + offset);
    return [{ name, shape, values: new Float32Array(new Uint8Array(file.subarray(begin, end)).buffer) }];
  });
}

export function checkpointFile(tensors: readonly TensorValues[]): Uint8Array<ArrayBuffer> {
  let at = 0;
  const header = JSON.stringify(
    Object.fromEntries(
      tensors.map(({ name, shape, values }) => {
        const begin = at;
        at += values.byteLength;
        return [name, { dtype: "F32", shape, data_offsets: [begin, at] }];
      }),
    ),
  );
  const bytes = Buffer.alloc(8 + header.length + at);
  bytes.writeBigUInt64LE(BigInt(header.length));
  bytes.write(header, 8);
  at = 8 + header.length;
  for (const { values } of tensors) {
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
    at += values.byteLength;
  }
  return new Uint8Array(bytes);
}

/** Makes tensors of numbers from -0.5 to 0.5. */
export function randomTensors(seed: number): (name: string, ...shape: number[]) => TensorValues {
  const next = random(seed);
  return (name, ...shape) => {
    const length = shape.reduce((product, each) => product * each, 1);
    return { name, shape, values: Float32Array.from({ length }, () => next() - 0.5) };
  };
}

/** Numbers from 0 to below 1: Numerical Recipes' generator. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
