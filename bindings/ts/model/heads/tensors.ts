/** Small safetensors files, read whole: a table of vectors, a linear layer. */
import { refuse } from "../refuse.js";

/** Numbers of a tensor, as float32 where they are asked for. */
export interface Table {
  shape: readonly number[];
  /** Copies the row `at` of a tensor of rank 2 into `row`. */
  readRow(at: number, row: Float32Array): void;
  /** All numbers, as float32. */
  values(): Float32Array;
}

/** IEEE binary16. */
function halfToNumber(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const sign = bits >> 15 === 0 ? 1 : -1;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

const view = new DataView(new ArrayBuffer(4));

/** The upper half of a float32. */
function brainToNumber(bits: number): number {
  view.setUint32(0, bits << 16);
  return view.getFloat32(0);
}

/** Bytes of a number, and how it is read. */
const TYPES: Readonly<Record<string, readonly [size: number, read: (view: DataView, at: number) => number]>> = {
  F64: [8, (from, at) => from.getFloat64(at, true)],
  F32: [4, (from, at) => from.getFloat32(at, true)],
  F16: [2, (from, at) => halfToNumber(from.getUint16(at, true))],
  BF16: [2, (from, at) => brainToNumber(from.getUint16(at, true))],
  I64: [8, (from, at) => Number(from.getBigInt64(at, true))],
  I32: [4, (from, at) => from.getInt32(at, true)],
};

const LONGEST_HEADER = 2 ** 24;

function headerOf(fn: string, name: string, bytes: Uint8Array): { header: Record<string, unknown>; begin: number } {
  const whole = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = bytes.length < 8 ? 0 : Number(whole.getBigUint64(0, true));
  if (length < 2 || length > LONGEST_HEADER || 8 + length > bytes.length)
    throw refuse.malformed(fn, name, "is not a whole .safetensors file");
  try {
    const header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(8, 8 + length)));
    if (typeof header === "object" && header !== null) return { header, begin: 8 + length };
  } catch (cause) {
    throw refuse.malformed(fn, name, "has a header that is not JSON", cause);
  }
  throw refuse.malformed(fn, name, "has a header that is no object");
}

const isSize = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Tensors of a file by name. `types` are those that the caller takes. */
export function readTensors(
  fn: string,
  name: string,
  bytes: Uint8Array,
  types: readonly string[] = ["F32", "F16", "BF16"],
): Map<string, Table> {
  const { header, begin } = headerOf(fn, name, bytes);
  const tensors = new Map<string, Table>();
  for (const [key, value] of Object.entries(header)) {
    if (key === "__metadata__") continue;
    const { dtype, shape, data_offsets: offsets } = (value ?? {}) as Record<string, unknown>;
    const [from, to] = Array.isArray(offsets) ? (offsets as unknown[]) : [];
    if (!Array.isArray(shape) || !shape.every(isSize) || !isSize(from) || !isSize(to) || begin + to > bytes.length)
      throw refuse.malformed(fn, name, `has a tensor ${JSON.stringify(key)} without a shape and a place in the file`);
    if (typeof dtype !== "string" || !types.includes(dtype))
      throw refuse.unsupported(fn, `${name}: ${key}`, dtype, `a tensor of type ${types.join(", ")}`);
    const [size, read] = TYPES[dtype]!;
    const count = shape.reduce((product: number, each) => product * (each as number), 1);
    if (to - from !== count * size)
      throw refuse.malformed(fn, name, `has a tensor ${JSON.stringify(key)} whose bytes do not fit its shape`);
    const data = new DataView(bytes.buffer, bytes.byteOffset + begin + from, to - from);
    const width = (shape[1] as number | undefined) ?? 1;
    const copy = (first: number, into: Float32Array) => {
      for (let i = 0; i < into.length; i++) into[i] = read(data, (first + i) * size);
      return into;
    };
    tensors.set(key, {
      shape,
      readRow: (at, row) => void copy(at * width, row),
      values: () => copy(0, new Float32Array(count)),
    });
  }
  return tensors;
}

/** The tensor `key` of rank 2 (or 1), which must be there. */
export function tensorNamed(
  fn: string,
  name: string,
  tensors: ReadonlyMap<string, Table>,
  key: string,
  shape: readonly number[],
): Table {
  const found = tensors.get(key);
  if (found === undefined) throw refuse.malformed(fn, name, `has no tensor ${JSON.stringify(key)}`);
  if (found.shape.join() === shape.join()) return found;
  throw refuse.malformed(
    fn,
    name,
    `has a tensor ${JSON.stringify(key)} of shape [${found.shape.join(", ")}], not [${shape.join(", ")}]`,
  );
}
