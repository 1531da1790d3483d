/**
 * Arrays of the caller. What a typed array holds is asked of the engine: own properties, subclasses and Proxies may say
 * anything. Everything else is read once, element by element, since reading may run code of the caller, which may
 * dispose objects, detach arrays or let the module's memory grow.
 */

import { failure, refusal, wholeNumber } from "./errors.js";
import type { ModuleMemory } from "./glue.js";

type View = Float32Array | Float64Array | Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array;

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;
const getter = (name: PropertyKey): (() => unknown) => Object.getOwnPropertyDescriptor(typedArray, name)!.get!;
const getKind = getter(Symbol.toStringTag);
const getLength = getter("length");
const getBuffer = getter("buffer");
const getByteOffset = getter("byteOffset");

/** "Float32Array" and so on; undefined for everything that is no typed array. Runs no code of the caller. */
export const kindOf = (value: unknown): string | undefined => getKind.call(value) as string | undefined;

interface ViewConstructor {
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): View;
  readonly BYTES_PER_ELEMENT: number;
}

const VIEWS: Record<string, ViewConstructor> = {
  Int8Array,
  Uint8Array,
  Uint8ClampedArray: Uint8Array,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  // Only ever copied as patterns.
  Float16Array: Uint16Array,
  Float32Array,
  Float64Array,
};

/** A typed array whose place and length have been read. To be made once no code of the caller runs any more. */
export class Source {
  /** In elements. */
  readonly length: number;
  readonly #memory: ModuleMemory["wasmMemory"];
  readonly #kind: string;
  readonly #buffer: ArrayBufferLike;
  readonly #byteOffset: number;
  readonly #isModules: boolean;

  /** `values` is a typed array of numbers. */
  constructor(memory: ModuleMemory["wasmMemory"], values: unknown) {
    this.#memory = memory;
    this.#kind = kindOf(values)!;
    this.length = getLength.call(values) as number;
    this.#buffer = getBuffer.call(values) as ArrayBufferLike;
    this.#byteOffset = getByteOffset.call(values) as number;
    this.#isModules = this.#buffer === memory.buffer;
  }

  /** The elements, 16-bit ones as their patterns. Where they are the module's own, its growth has detached the old view. */
  view(): View {
    const make = VIEWS[this.#kind]!;
    // A detached array has no elements and takes no view.
    if (this.length === 0) return new make(new ArrayBuffer(0), 0, 0);
    return new make(this.#isModules ? this.#memory.buffer : this.#buffer, this.#byteOffset, this.length);
  }

  get bytesPerElement(): number {
    return VIEWS[this.#kind]!.BYTES_PER_ELEMENT;
  }

  /** True if the two have a byte in common. */
  meets(other: Source): boolean {
    if (this.#buffer !== other.#buffer) return false;
    const end = (source: Source) => source.#byteOffset + source.length * source.bytesPerElement;
    return this.#byteOffset < end(other) && other.#byteOffset < end(this);
  }
}

/** True if a Source can be made of it: a typed array of numbers, not of BigInts. */
export const isNumeric = (value: unknown): boolean => {
  const kind = kindOf(value);
  return kind !== undefined && kind in VIEWS;
};

/** Read once; of a typed array it is the engine's. */
export function lengthOf(fn: string, name: string, values: unknown): number {
  const isList = typeof values === "object" && values !== null;
  const length = !isList
    ? undefined
    : kindOf(values) === undefined
      ? (values as { length?: unknown }).length
      : getLength.call(values);
  if (typeof length !== "number") throw refusal("type", fn, name, values, "an array of numbers");
  // Longer ones are of no use anywhere, and would be read for minutes.
  if (length >>> 0 === length) return length;
  throw failure("range", fn, `\`${name}\` has the length ${length}; allowed: a whole number from 0 to 4294967295`);
}

/** A copy of a list of numbers. `check` may refuse its length before any of it is read. */
export function numbersOf(
  fn: string,
  name: string,
  values: unknown,
  check?: (length: number) => void,
): Float64Array<ArrayBuffer> {
  const length = lengthOf(fn, name, values);
  check?.(length);
  if (isNumeric(values) && kindOf(values) !== "Float16Array") return new Float64Array(values as Float64Array);
  if (/^Big/.test(kindOf(values) ?? "")) throw refusal("type", fn, name, values, "an array of numbers");
  const copy = memoryFor(fn, name, length, Float64Array);
  for (let i = 0; i < length; i++) {
    const value = (values as ArrayLike<unknown>)[i];
    if (typeof value !== "number") throw refusal("type", fn, `${name}[${i}]`, value, "a number");
    copy[i] = value;
  }
  return copy;
}

/** A copy of a list of whole numbers. Their range is for C++, but it could not see what was rounded on the way. */
export function integersOf(fn: string, name: string, values: unknown): Int32Array<ArrayBuffer> {
  const length = lengthOf(fn, name, values);
  const copy = memoryFor(fn, name, length, Int32Array);
  for (let i = 0; i < length; i++) {
    const value = (values as ArrayLike<unknown>)[i];
    if (typeof value !== "number" || (value | 0) !== value) {
      throw refusal("range", fn, `${name}[${i}]`, value, "a whole number");
    }
    copy[i] = value;
  }
  return copy;
}

/** A copy of a list of counts or sizes. */
export function sizesListOf(fn: string, name: string, values: unknown): number[] {
  const length = lengthOf(fn, name, values);
  const copy: number[] = [];
  for (let i = 0; i < length; i++) copy.push(wholeNumber(fn, `${name}[${i}]`, (values as ArrayLike<unknown>)[i]));
  return copy;
}

function memoryFor<T>(fn: string, name: string, length: number, kind: new (length: number) => T): T {
  try {
    return new kind(length);
  } catch {
    throw failure("out-of-memory", fn, `no memory for a copy of \`${name}\`, ${length} numbers`);
  }
}
