/**
 * The arguments of a hot call: struct Call of bindings/embind/call.hpp, a block of the module's memory that is written
 * before each call. Everything that belongs to the caller is read before the first word: a getter may rotate, too.
 */
import type { NativeCore, RopeExport } from "../module/native.js";
import type { Operand } from "./operand.js";
import { NO_LISTS, type Placed, type Sizes, type Strides } from "./placement.js";

/** First word of each part of the block, in words of 32 bits. */
const Part = {
  positions: 0,
  to: 4,
  x: 8,
  k: 14,
  sizes: 20,
  keys: 30,
  toRope: 34,
  magnitude: 36,
  gradients: 38,
  given: 48,
  end: 52,
} as const;

/** The shape of rotateBy() as C++ takes it. */
export interface GivenSizes {
  batch: number;
  sequence: number;
  heads: number;
  dimension: number;
  pairs: number;
  /** Place in ropewalk::Pairing. */
  pairing: number;
}

/** Elements in the module's memory. */
interface Place {
  address: number;
  size: number;
}

/** One module's block, and the calls that take it. */
export class Call {
  readonly #native: NativeCore;
  /** In bytes. */
  readonly #address: number;
  // The only views of the module's memory that outlive a call. Growth detaches them; then they are created again.
  #words = new Int32Array(0);
  #numbers = new Float64Array(0);
  // Taken out of the module's object, where finding a name costs as much as writing the block.
  readonly rotate: RopeExport;
  readonly unrotate: RopeExport;
  readonly rerotate: RopeExport;
  readonly rotateQK: RopeExport;

  constructor(native: NativeCore) {
    this.#native = native;
    this.#address = native._ropewalk_call();
    this.rotate = native._ropewalk_rotate;
    this.unrotate = native._ropewalk_unrotate;
    this.rerotate = native._ropewalk_rerotate;
    this.rotateQK = native._ropewalk_rotate_qk;
  }

  /** x and the sizes and positions that every call takes. */
  write(x: Operand, at: Sizes, lists: Placed, role: number): void {
    const words = this.#writeSizes(at, lists, role);
    writeArray(words, Part.x, x);
  }

  /** The same for a Tensor in place, without lists. */
  writeTensor(address: number, size: number, type: number, at: Sizes, role: number): void {
    const words = this.#writeSizes(at, NO_LISTS, role);
    words[Part.x] = words[Part.x + 3] = address;
    words[Part.x + 1] = words[Part.x + 4] = size;
    words[Part.x + 2] = words[Part.x + 5] = type;
  }

  #writeSizes(at: Sizes, lists: Placed, role: number): Int32Array {
    if (this.#words.length === 0) this.#renew();
    const words = this.#words;
    this.#numbers[Part.positions / 2] = at.start;
    words[Part.positions + 2] = lists.positions;
    words[Part.positions + 3] = lists.count;
    words[Part.sizes] = at.batch;
    words[Part.sizes + 1] = at.sequence;
    words[Part.sizes + 2] = at.heads;
    words[Part.sizes + 3] = at.layout;
    words[Part.sizes + 4] = at.strides.batch;
    words[Part.sizes + 5] = at.strides.sequence;
    words[Part.sizes + 6] = at.strides.head;
    words[Part.sizes + 7] = lists.lengths;
    words[Part.sizes + 8] = lists.lengthCount;
    words[Part.sizes + 9] = role;
    return words;
  }

  /** After write(): what rotateQK() takes besides. */
  writeKeys(k: Operand, kvHeads: number, strides: Strides): void {
    const words = this.#words;
    writeArray(words, Part.k, k);
    words[Part.keys] = kvHeads;
    words[Part.keys + 1] = strides.batch;
    words[Part.keys + 2] = strides.sequence;
    words[Part.keys + 3] = strides.head;
  }

  /** After write(): the arguments that only rerotate() has. */
  writeTarget(rope: number, start: number, lists: Placed): void {
    const words = this.#words;
    this.#numbers[Part.to / 2] = start;
    words[Part.to + 2] = lists.positions;
    words[Part.to + 3] = lists.count;
    words[Part.toRope] = rope;
  }

  /** Arguments of rotateBy(): x, rotated in place; for the gradient also gradY, which becomes that of x. */
  writeGiven(at: GivenSizes, x: Place, angles: Place, gradAngles: number, gradY: Place): void {
    this.#renew();
    const words = this.#words;
    words[Part.positions + 2] = angles.address;
    words[Part.positions + 3] = angles.size;
    words[Part.x + 3] = x.address;
    words[Part.x + 4] = x.size;
    words[Part.k + 3] = gradY.address;
    words[Part.k + 4] = gradY.size;
    words[Part.sizes] = at.batch;
    words[Part.sizes + 1] = at.sequence;
    words[Part.sizes + 2] = at.heads;
    words[Part.given] = at.dimension;
    words[Part.given + 1] = at.pairs;
    words[Part.given + 2] = at.pairing;
    words[Part.given + 3] = gradAngles;
  }

  /** Results of gradients(): the magnitude's, and the places of the others in the order of the block. */
  found(): { magnitude: number; gradients: [address: number, size: number][] } {
    this.#renew();
    const places = this.#words.subarray(Part.gradients, Part.end);
    return {
      magnitude: this.#numbers[Part.magnitude / 2]!,
      gradients: [0, 2, 4, 6, 8].map((i) => [places[i]!, places[i + 1]!]),
    };
  }

  #renew(): void {
    const { buffer } = this.#native.wasmMemory;
    this.#words = new Int32Array(buffer, this.#address, Part.end);
    this.#numbers = new Float64Array(buffer, this.#address, Part.end / 2);
  }
}

function writeArray(words: Int32Array, part: number, array: Operand): void {
  words[part] = array.address;
  words[part + 1] = array.size;
  words[part + 2] = array.type;
  words[part + 3] = array.outAddress;
  words[part + 4] = array.outSize;
  words[part + 5] = array.outType;
}
