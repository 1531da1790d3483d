/**
 * The arguments of a hot call: struct Call of bindings/embind/call.hpp, a block of the module's memory that is written
 * before each call. Everything that belongs to the caller is read before the first word: a getter may rotate, too.
 */
import { elementsAt } from "../module/elements.js";
import type { NativeCore, RopeExport } from "../module/native.js";
import type { Operand } from "./operand.js";
import { NO_LISTS, type Placed, type Sizes, type Strides } from "./placement.js";

/** First word of each part of the block, in words of 32 bits. */
const Part = {
  positions: 0,
  to: 6,
  x: 12,
  k: 20,
  sizes: 28,
  cumulativeLengths: 36,
  role: 39,
  keys: 40,
  toRope: 44,
  magnitude: 46,
  gradients: 48,
  given: 68,
  gradAngles: 72,
  end: 74,
} as const;

/** An address has a lower and an upper word, each less than this. */
const WORD = 2 ** 32;
const addressIn = (words: Int32Array, at: number): number => (words[at]! >>> 0) + words[at + 1]! * WORD;
function writeAddress(words: Int32Array, at: number, address: number): void {
  words[at] = address;
  words[at + 1] = address / WORD;
}

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
    writeAddress(words, Part.x, address);
    writeAddress(words, Part.x + 4, address);
    words[Part.x + 2] = words[Part.x + 6] = size;
    words[Part.x + 3] = words[Part.x + 7] = type;
  }

  #writeSizes(at: Sizes, lists: Placed, role: number): Int32Array {
    if (this.#words.length === 0) this.#renew();
    const words = this.#words;
    this.#numbers[Part.positions / 2] = at.start;
    writeAddress(words, Part.positions + 2, lists.positions);
    words[Part.positions + 4] = lists.count;
    words[Part.sizes] = at.batch;
    words[Part.sizes + 1] = at.sequence;
    words[Part.sizes + 2] = at.heads;
    words[Part.sizes + 3] = at.layout;
    words[Part.sizes + 4] = at.strides.batch;
    words[Part.sizes + 5] = at.strides.sequence;
    words[Part.sizes + 6] = at.strides.head;
    writeAddress(words, Part.cumulativeLengths, lists.lengths);
    words[Part.cumulativeLengths + 2] = lists.lengthCount;
    words[Part.role] = role;
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
    writeAddress(words, Part.to + 2, lists.positions);
    words[Part.to + 4] = lists.count;
    writeAddress(words, Part.toRope, rope);
  }

  /** Arguments of rotateBy(): x, rotated in place; for the gradient also gradY, which becomes that of x. */
  writeGiven(at: GivenSizes, x: Place, angles: Place, gradAngles: number, gradY: Place): void {
    this.#renew();
    const words = this.#words;
    writeAddress(words, Part.positions + 2, angles.address);
    words[Part.positions + 4] = angles.size;
    writeAddress(words, Part.x + 4, x.address);
    words[Part.x + 6] = x.size;
    writeAddress(words, Part.k + 4, gradY.address);
    words[Part.k + 6] = gradY.size;
    words[Part.sizes] = at.batch;
    words[Part.sizes + 1] = at.sequence;
    words[Part.sizes + 2] = at.heads;
    words[Part.given] = at.dimension;
    words[Part.given + 1] = at.pairs;
    words[Part.given + 2] = at.pairing;
    writeAddress(words, Part.gradAngles, gradAngles);
  }

  /** Results of gradients(): the magnitude's, and the places of the others in the order of the block. */
  found(): { magnitude: number; gradients: [address: number, size: number][] } {
    this.#renew();
    const words = this.#words;
    return {
      magnitude: this.#numbers[Part.magnitude / 2]!,
      gradients: [0, 4, 8, 12, 16].map((i) => [addressIn(words, Part.gradients + i), words[Part.gradients + i + 2]!]),
    };
  }

  #renew(): void {
    this.#words = elementsAt(this.#native, Int32Array, this.#address, Part.end);
    this.#numbers = elementsAt(this.#native, Float64Array, this.#address, Part.end / 2);
  }
}

function writeArray(words: Int32Array, part: number, array: Operand): void {
  writeAddress(words, part, array.address);
  words[part + 2] = array.size;
  words[part + 3] = array.type;
  writeAddress(words, part + 4, array.outAddress);
  words[part + 6] = array.outSize;
  words[part + 7] = array.outType;
}
