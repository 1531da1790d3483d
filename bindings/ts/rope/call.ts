/**
 * The arguments of a hot call: struct Call of bindings/embind/call.hpp, a block of the module's memory that is written
 * before each call. Everything that belongs to the caller is read before the first word: a getter may rotate, too.
 */
import { elementsAt } from "../module/elements.js";
import type { NativeCore } from "../module/native.js";
import * as N from "../module/numbers.js";
import type { Operand } from "./operand.js";
import { NO_LISTS, type Placed, type Sizes, type Strides } from "./placement.js";

/** Takes the address of a Rope, and arguments in the block. Status code, 0 for success. */
export type RopeExport = NativeCore["_ropewalk_rotate"];

const FLOAT32 = N.DTYPES.indexOf("float32");

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
    writeArray(words, N.CALL_X, x);
  }

  /** The same for a Tensor in place, without lists. */
  writeTensor(address: number, size: number, type: number, at: Sizes, role: number): void {
    const words = this.#writeSizes(at, NO_LISTS, role);
    writeIn(words, N.CALL_X, address, size, type);
    writeOut(words, N.CALL_X, address, size, type);
  }

  #writeSizes(at: Sizes, lists: Placed, role: number): Int32Array {
    if (this.#words.length === 0) this.#renew();
    const words = this.#words;
    this.#writePositions(N.CALL_POSITIONS, at.start, lists.positions, lists.count);
    words[N.CALL_BATCH] = at.batch;
    words[N.CALL_SEQUENCE] = at.sequence;
    words[N.CALL_HEADS] = at.heads;
    words[N.CALL_LAYOUT] = at.layout;
    writeStrides(words, N.CALL_STRIDES, at.strides);
    writeAddress(words, N.CALL_CUMULATIVE_LENGTHS, lists.lengths);
    words[N.CALL_CUMULATIVE_COUNT] = lists.lengthCount;
    words[N.CALL_ROLE] = role;
    return words;
  }

  #writePositions(at: number, start: number, values: number, count: number): void {
    this.#numbers[(at + N.POSITIONS_START) / 2] = start;
    writeAddress(this.#words, at + N.POSITIONS_VALUES, values);
    this.#words[at + N.POSITIONS_COUNT] = count;
  }

  /** After write(): what rotateQK() takes besides. */
  writeKeys(k: Operand, kvHeads: number, strides: Strides): void {
    const words = this.#words;
    writeArray(words, N.CALL_K, k);
    words[N.CALL_KV_HEADS] = kvHeads;
    writeStrides(words, N.CALL_KEY_STRIDES, strides);
  }

  /** After write(): the arguments that only rerotate() has. */
  writeTarget(rope: number, start: number, lists: Placed): void {
    this.#writePositions(N.CALL_TO, start, lists.positions, lists.count);
    writeAddress(this.#words, N.CALL_TO_ROPE, rope);
  }

  /** Arguments of rotateBy(): x, rotated in place; for the gradient also gradY, which becomes that of x. */
  writeGiven(at: GivenSizes, x: Place, angles: Place, gradAngles: number, gradY: Place): void {
    this.#renew();
    const words = this.#words;
    this.#writePositions(N.CALL_POSITIONS, 0, angles.address, angles.size);
    writeOut(words, N.CALL_X, x.address, x.size, FLOAT32);
    writeOut(words, N.CALL_K, gradY.address, gradY.size, FLOAT32);
    words[N.CALL_BATCH] = at.batch;
    words[N.CALL_SEQUENCE] = at.sequence;
    words[N.CALL_HEADS] = at.heads;
    words[N.CALL_DIMENSION] = at.dimension;
    words[N.CALL_PAIRS] = at.pairs;
    words[N.CALL_PAIRING] = at.pairing;
    writeAddress(words, N.CALL_GRAD_ANGLES, gradAngles);
  }

  /** Results of gradients(): the magnitude's, and the places of the others in the order of the block. */
  found(): { magnitude: number; gradients: [address: number, size: number][] } {
    this.#renew();
    const words = this.#words;
    const gradients: [number, number][] = [];
    for (let at: number = N.CALL_GRADIENTS; at < N.CALL_DIMENSION; at += N.FOUND_WORDS)
      gradients.push([addressIn(words, at + N.FOUND_ADDRESS), words[at + N.FOUND_SIZE]!]);
    return { magnitude: this.#numbers[N.CALL_MAGNITUDE / 2]!, gradients };
  }

  #renew(): void {
    this.#words = elementsAt(this.#native, Int32Array, this.#address, N.CALL_WORDS);
    this.#numbers = elementsAt(this.#native, Float64Array, this.#address, N.CALL_WORDS / 2);
  }
}

function writeIn(words: Int32Array, at: number, address: number, size: number, type: number): void {
  writeAddress(words, at + N.ARRAY_X, address);
  words[at + N.ARRAY_X_SIZE] = size;
  words[at + N.ARRAY_X_TYPE] = type;
}

function writeOut(words: Int32Array, at: number, address: number, size: number, type: number): void {
  writeAddress(words, at + N.ARRAY_OUT, address);
  words[at + N.ARRAY_OUT_SIZE] = size;
  words[at + N.ARRAY_OUT_TYPE] = type;
}

function writeArray(words: Int32Array, at: number, array: Operand): void {
  writeIn(words, at, array.address, array.size, array.type);
  writeOut(words, at, array.outAddress, array.outSize, array.outType);
}

function writeStrides(words: Int32Array, at: number, strides: Strides): void {
  words[at + N.STRIDES_BATCH] = strides.batch;
  words[at + N.STRIDES_SEQUENCE] = strides.sequence;
  words[at + N.STRIDES_HEAD] = strides.head;
}
