/** Caches and chunks in the module's memory. */
import type { Core } from "../../module/core.js";
import { optionsObject } from "../../module/errors.js";
import { Handle } from "../../module/handle.js";
import type { NativeChunk, NativeKeyCache } from "../../module/native.js";
import { Scratch } from "../../module/scratch.js";
import type { Floats } from "../encoder-output.js";
import { refuse } from "../refuse.js";
import type { CancelOptions } from "../text/embed-options.js";
import { Pace } from "../text/pace.js";
import { flag, idsOf, place } from "./arguments.js";
import type { Chunk, KeyCache } from "./surface.js";

/** The decoder's side of its caches and chunks. */
export interface Family {
  core: Core;
  /** A new one, to be disposed of with the decoder. */
  adopt<T extends Handle>(handle: T): T;
}

/** Tokens between two turns of the event loop. */
const PIECE = 64;

export class ModuleChunk extends Handle implements Chunk {
  readonly #core: Core;
  readonly native: NativeChunk;

  constructor({ core }: Family, native: NativeChunk) {
    super(core.owner, "Chunk", () => native.delete());
    this.#core = core;
    this.native = native;
  }

  /** False if another load() made it. */
  isIn(core: Core): boolean {
    return this.#core === core;
  }

  get length(): number {
    this.assertLive("length");
    return this.native.length();
  }

  tokens(): Int32Array<ArrayBuffer> {
    this.assertLive("tokens");
    return this.#core.int32(this.native.tokensAddress(), this.native.length()).slice();
  }
}

export class ModuleKeyCache extends Handle implements KeyCache {
  readonly #family: Family;
  /** Prefilling replaces it. */
  readonly #held: { native: NativeKeyCache };
  /** Who fills it, while the event loop runs. */
  #filling: string | undefined;

  constructor(family: Family, native: NativeKeyCache) {
    const held = { native };
    super(family.core.owner, "KeyCache", () => held.native.delete());
    this.#family = family;
    this.#held = held;
  }

  get #core(): Core {
    return this.#family.core;
  }

  get family(): Family {
    return this.#family;
  }

  /** Appends a token whose logits the module keeps. */
  feedOne(fn: string, id: number): void {
    this.#feed(fn, this.native(fn), Int32Array.of(id), false, 0);
  }

  /** The native cache, unless a prefill is filling it. */
  native(fn: string): NativeKeyCache {
    this.assertLive(fn);
    if (this.#filling !== undefined)
      throw new Error(`${fn}: \`${this.#filling}\` is filling this cache; await it first`);
    return this.#held.native;
  }

  #do(fn: string, call: (native: NativeKeyCache) => number): void {
    if (call(this.native(fn)) !== 0) throw this.#core.failure();
  }

  get length(): number {
    this.assertLive("length");
    return this.#held.native.length();
  }

  get bytes(): number {
    this.assertLive("bytes");
    return this.#held.native.bytes();
  }

  tokens(): Int32Array<ArrayBuffer> {
    const native = this.native("tokens");
    return this.#core.int32(native.tokensAddress(), native.length()).slice();
  }

  #feed(fn: string, native: NativeKeyCache, ids: Int32Array, all: boolean, ruleLength: number): void {
    const scratch = new Scratch(this.#core, fn);
    try {
      if (native.feed(scratch.int32("ids", ids), ids.length, all, ruleLength) !== 0)
        throw this.#core.failure(undefined, fn);
    } finally {
      scratch.free();
    }
  }

  #logits(native: NativeKeyCache): Floats {
    return this.#core.float32(native.logitsAddress(), native.logitsSize()).slice();
  }

  feed(ids: ArrayLike<number>, options: { all?: boolean } = {}): Floats {
    const fn = "feed";
    const native = this.native(fn);
    const { all = false } = optionsObject(fn, "options", options);
    this.#feed(fn, native, idsOf(fn, ids), flag(fn, "all", all), 0);
    return this.#logits(native);
  }

  async prefill(
    ids: ArrayLike<number>,
    options: CancelOptions & { onProgress?: (done: number, total: number) => void } = {},
  ): Promise<Floats> {
    const native = await this.fill("prefill", ids, options);
    return this.#logits(native);
  }

  /** Feeds tokens, a piece at a time, and returns what then holds them and their logits. */
  async fill(
    fn: string,
    ids: ArrayLike<number>,
    options: CancelOptions & { onProgress?: (done: number, total: number) => void },
  ): Promise<NativeKeyCache> {
    const { signal, onProgress } = optionsObject(fn, "options", options);
    const native = this.native(fn);
    const list = idsOf(fn, ids);
    signal?.throwIfAborted();
    // The copy shares all blocks but the last, and is what remains when all went well.
    const copy = native.fork();
    if (copy === null) throw this.#core.failure();
    const total = native.length() + list.length;
    const pace = new Pace();
    this.#filling = fn;
    try {
      for (let at = 0; at === 0 || at < list.length; at += PIECE) {
        if (at > 0) await pace.breathe(signal);
        this.assertLive(fn);
        this.#feed(fn, copy, list.subarray(at, at + PIECE), false, list.length === 0 ? 0 : total);
        onProgress?.(Math.min(at + PIECE, list.length), list.length);
      }
    } catch (error) {
      copy.delete();
      throw error;
    } finally {
      this.#filling = undefined;
    }
    this.#held.native = copy;
    native.delete();
    return copy;
  }

  trim(length: number): void {
    this.#do("trim", (native) => native.trim(place("trim", "length", length)));
  }

  drop(from: number, to: number, options: { rotate?: boolean } = {}): void {
    const fn = "drop";
    this.#do(fn, (native) => {
      const { rotate = true } = optionsObject(fn, "options", options);
      return native.drop(place(fn, "from", from), place(fn, "to", to), flag(fn, "rotate", rotate));
    });
  }

  append(chunk: Chunk, range: { from?: number; to?: number } = {}): void {
    const fn = "append";
    const native = this.native(fn);
    if (!(chunk instanceof ModuleChunk && chunk.isIn(this.#core)))
      throw refuse.type(fn, "chunk", chunk, "a Chunk of the cache's decoder");
    chunk.assertLive(fn);
    const { from = 0, to = chunk.length } = optionsObject(fn, "range", range);
    if (native.append(chunk.native, place(fn, "from", from), place(fn, "to", to)) !== 0) throw this.#core.failure();
  }

  rescale(ropeParameters: object): void {
    const fn = "rescale";
    const native = this.native(fn);
    const json = JSON.stringify(optionsObject(fn, "ropeParameters", ropeParameters));
    const status = this.#core.withText(fn, "`ropeParameters`", json, (at, size) => native.rescale(at, size));
    // Its keys are those of a file.
    if (status !== 0) throw this.#core.failureOfFile(fn);
  }

  fork(): KeyCache {
    const copy = this.native("fork").fork();
    if (copy === null) throw this.#core.failure();
    return this.#family.adopt(new ModuleKeyCache(this.#family, copy));
  }

  save(): Uint8Array<ArrayBuffer> {
    const native = this.native("save");
    if (native.save() !== 0) throw this.#core.failure();
    const bytes = this.#core.bytes(native.savedAddress(), native.savedSize()).slice();
    native.freeSaved();
    return bytes;
  }

  keys(layer: number): Floats {
    const fn = "keys";
    const native = this.native(fn);
    const at = place(fn, "layer", layer);
    const size = native.keyElements();
    const scratch = new Scratch(this.#core, fn);
    try {
      const address = scratch.allocate("keys", size * 4);
      if (native.keys(at, address, size) !== 0) throw this.#core.failure();
      return this.#core.float32(address, size).slice();
    } finally {
      scratch.free();
    }
  }

  explain(): string {
    this.native("explain").explain();
    return this.#core.text();
  }
}
