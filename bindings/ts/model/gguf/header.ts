/** The header of a GGUF file: github.com/ggml-org/ggml/blob/master/docs/gguf.md. cpp/src/formats/gguf.cpp reads it for decoders. */

import type { Json } from "../files/read.js";
import { refuse } from "../refuse.js";
import { BLOCKS, type Block } from "./blocks.js";

export interface GgufTensor {
  name: string;
  block: Block;
  /** The longest stride first, as in safetensors. */
  shape: number[];
  elements: number;
  /** In the file, and one behind. */
  begin: number;
  end: number;
}

export interface GgufHeader {
  metadata: Json;
  /** In the order of the file. */
  tensors: GgufTensor[];
  /** Bytes before the first tensor's. */
  size: number;
}

/** A header that goes on behind the bytes that are there. */
class Unfinished extends Error {}

const NUMBERS: readonly [size: number, read: (view: DataView, at: number) => number][] = [
  [1, (view, at) => view.getUint8(at)],
  [1, (view, at) => view.getInt8(at)],
  [2, (view, at) => view.getUint16(at, true)],
  [2, (view, at) => view.getInt16(at, true)],
  [4, (view, at) => view.getUint32(at, true)],
  [4, (view, at) => view.getInt32(at, true)],
  [4, (view, at) => view.getFloat32(at, true)],
];
const BOOLEAN = 7;
const TEXT = 8;
const ARRAY = 9;
const WIDE: Readonly<Record<number, (view: DataView, at: number) => number>> = {
  10: (view, at) => Number(view.getBigUint64(at, true)),
  11: (view, at) => Number(view.getBigInt64(at, true)),
  12: (view, at) => view.getFloat64(at, true),
};

class Reader {
  readonly #fn: string;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #decoder = new TextDecoder();
  at = 0;

  constructor(fn: string, bytes: Uint8Array) {
    this.#fn = fn;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  wrong(why: string): Error {
    return refuse.malformed(this.#fn, "gguf", why);
  }

  #pass(size: number): number {
    if (this.at + size > this.#bytes.length) throw new Unfinished();
    this.at += size;
    return this.at - size;
  }

  number(type: number): number {
    const [size, read] = NUMBERS[type] ?? [8, WIDE[type]];
    if (read === undefined) throw this.wrong(`has a value of type ${type}; allowed: 0 to 12`);
    return read(this.#view, this.#pass(size));
  }

  /** A whole number of 64 bits; by default up to those that JavaScript holds. */
  count(what: string, most = Number.MAX_SAFE_INTEGER): number {
    const value = this.number(10);
    if (value > most) throw this.wrong(`says that ${what} is ${value}; allowed: at most ${most}`);
    return value;
  }

  text(): string {
    const size = this.count("the length of a text");
    const at = this.#pass(size);
    return this.#decoder.decode(this.#bytes.subarray(at, at + size));
  }

  value(type: number, mayBeArray = true): unknown {
    if (type === TEXT) return this.text();
    if (type === BOOLEAN) return this.number(0) !== 0;
    if (type !== ARRAY) return this.number(type);
    if (!mayBeArray) throw this.wrong("has arrays in an array");
    const of = this.number(4);
    const count = this.count("the length of an array");
    const items: unknown[] = [];
    while (items.length < count) items.push(this.value(of, false));
    return items;
  }

  tensor(): GgufTensor {
    const name = this.text();
    const dimensions = this.number(4);
    if (dimensions > 4) throw this.wrong(`says that ${name} has ${dimensions} dimensions; allowed: at most 4`);
    const shape = Array.from({ length: dimensions }, () => this.count(`a dimension of ${name}`)).reverse();
    const type = this.number(4);
    const begin = this.count(`the place of ${name}`);
    const block = BLOCKS.get(type);
    if (block === undefined) {
      const names = [...BLOCKS.values()].map((each) => each.name).join(", ");
      throw refuse.unsupported(this.#fn, name, `a tensor of the type ${type} of ggml`, names);
    }
    const elements = shape.reduce((product, size) => product * size, 1);
    const row = shape.at(-1) ?? 1;
    if (!Number.isSafeInteger(4 * elements) || row % block.elements !== 0)
      throw this.wrong(`has a shape of ${name} that ${block.name} cannot have: ${shape.join(", ")}`);
    return { name, block, shape, elements, begin, end: begin + (elements / block.elements) * block.bytes };
  }
}

const MOST_TENSORS = 1 << 17;

/** @throws Unfinished for a header that goes on behind `bytes`. */
function parse(fn: string, bytes: Uint8Array): GgufHeader {
  const reader = new Reader(fn, bytes);
  const magic = reader.number(4);
  if (magic !== 0x46554747) throw reader.wrong('does not begin with "GGUF"');
  const version = reader.number(4);
  if (version !== 2 && version !== 3) throw reader.wrong(`is of version ${version}; allowed: 2 and 3`);
  const tensorCount = reader.count("the number of tensors", MOST_TENSORS);
  const entryCount = reader.count("the number of entries");
  const metadata: Record<string, unknown> = Object.create(null);
  for (let i = 0; i < entryCount; i++) {
    const key = reader.text();
    if (key in metadata) throw reader.wrong(`has the key ${key} twice`);
    metadata[key] = reader.value(reader.number(4));
  }
  const tensors: GgufTensor[] = [];
  while (tensors.length < tensorCount) tensors.push(reader.tensor());
  const { "general.alignment": alignment = 32 } = metadata;
  if (!Number.isSafeInteger(alignment) || !((alignment as number) >= 1)) throw reader.wrong("has no alignment");
  const size = Math.ceil(reader.at / (alignment as number)) * (alignment as number);
  tensors.sort((a, b) => a.begin - b.begin);
  let end = 0;
  for (const tensor of tensors) {
    if (tensor.begin < end) throw reader.wrong(`has tensors that share bytes: ${tensor.name}`);
    end = tensor.end;
    tensor.begin += size;
    tensor.end += size;
  }
  return { metadata, tensors, size };
}

/** More than the largest vocabularies take. */
const LONGEST = 1 << 27;

/** `more` gives as many further bytes, or fewer at the end of the file. */
export async function readHeader(
  fn: string,
  more: (count: number) => Promise<Uint8Array>,
): Promise<{ header: GgufHeader; bytes: Uint8Array }> {
  let bytes: Uint8Array = new Uint8Array(0);
  for (let size = 1 << 20; ; size *= 2) {
    const next = await more(size - bytes.length);
    const all = new Uint8Array(bytes.length + next.length);
    all.set(bytes);
    all.set(next, bytes.length);
    bytes = all;
    try {
      return { header: parse(fn, bytes), bytes };
    } catch (error) {
      if (!(error instanceof Unfinished)) throw error;
      if (bytes.length < size || size >= LONGEST) throw refuse.malformed(fn, "gguf", "ends within its header");
    }
  }
}
