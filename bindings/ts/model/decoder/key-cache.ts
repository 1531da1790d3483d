/** Caches and chunks in the module's memory. */
import type { Core } from "../../module/core.js";
import { failure, optionsObject } from "../../module/errors.js";
import { Handle } from "../../module/handle.js";
import type { NativeChunk, NativeKeyCache } from "../../module/native.js";
import { Scratch } from "../../module/scratch.js";
import type { Floats } from "../encoder-output.js";
import { flag, jsonOf, knownOptions } from "../options.js";
import { refuse } from "../refuse.js";
import type { CancelOptions } from "../text/embed-options.js";
import { Pace } from "../text/pace.js";
import { idsOf, place } from "./arguments.js";
import { type SamplingBlock, withBlock } from "./sampling.js";
import type { Chunk, GeneratedToken, KeyCache } from "./surface.js";

/** The decoder's side of its caches and chunks. */
export interface Family {
  core: Core;
  /** A new one, to be disposed of with the decoder. */
  adopt<T extends Handle>(handle: T): T;
}

const drawnBy = (native: NativeKeyCache): GeneratedToken[] =>
  Array.from({ length: native.sampleCount() }, (_, i) => ({
    id: native.sampledId(i),
    text: "",
    logProbability: native.logProbability(i),
  }));

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
  /** True while a generation writes to it. */
  #inUse = false;

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

  /** A token by the logits of the last feed, after `drawn` others. */
  sample(fn: string, sampling: SamplingBlock, drawn: number): GeneratedToken[] {
    const native = this.native(fn);
    sampling.drawn = drawn;
    withBlock(fn, this.#core, sampling, (options) => native.sample(options));
    return drawnBy(native);
  }

  /** As `sample`, from the ids whose bits are set. */
  sampleAllowed(fn: string, allowed: Int32Array, sampling: SamplingBlock, drawn: number): GeneratedToken[] {
    const native = this.native(fn);
    sampling.drawn = drawn;
    const scratch = new Scratch(this.#core, fn);
    try {
      const address = scratch.int32("allowed", allowed);
      withBlock(fn, this.#core, sampling, (options) => native.sampleAllowed(address, allowed.length, options));
    } finally {
      scratch.free();
    }
    return drawnBy(native);
  }

  /** Appends a token and those of the guesses behind it that are right, and returns these with one token more. */
  feedGuesses(fn: string, ids: readonly number[], sampling: SamplingBlock, drawn: number): GeneratedToken[] {
    const native = this.native(fn);
    sampling.drawn = drawn;
    const scratch = new Scratch(this.#core, fn);
    try {
      const address = scratch.int32("ids", Int32Array.from(ids));
      withBlock(fn, this.#core, sampling, (options) => native.feedGuesses(address, ids.length, options));
    } finally {
      scratch.free();
    }
    return drawnBy(native);
  }

  /** Forgets the last `count` tokens; the logits are again those of the token before them. */
  forget(fn: string, count: number): void {
    const kept = this.length - count;
    const id = this.tokens()[kept - 1]!;
    this.trim(kept - 1);
    this.feedOne(fn, id);
  }

  /** Keeps the first `length` tokens, as `trim`; a state that cannot go back is computed again. */
  rewind(length: number): void {
    const ids = this.tokens().subarray(0, length);
    if (this.native("trim").trim(length) === 0) return;
    this.trim(0);
    this.feed(ids);
  }

  /** The native cache, unless a prefill is filling it. */
  native(fn: string): NativeKeyCache {
    this.assertLive(fn);
    if (this.#filling !== undefined)
      throw failure("range", fn, `\`${this.#filling}\` is filling this cache; await it first`, { argument: "cache" });
    return this.#held.native;
  }

  /** Keeps other generations out until the returned function is called. */
  use(fn: string): () => void {
    this.native(fn);
    if (this.#inUse)
      throw failure(
        "range",
        fn,
        "`cache` is in use by another generation; allowed: a cache whose last generation has ended",
        {
          argument: "cache",
        },
      );
    this.#inUse = true;
    return () => {
      this.#inUse = false;
    };
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

  feed(ids: ArrayLike<number>, options: { all?: boolean | undefined } = {}): Floats {
    const fn = "feed";
    // Arguments first: reading them can run a caller's code, which may dispose of the cache.
    const { all = false } = knownOptions(fn, options, ["all"]);
    const [list, each] = [idsOf(fn, ids), flag(fn, "all", all)];
    const native = this.native(fn);
    this.#feed(fn, native, list, each, 0);
    return this.#logits(native);
  }

  async prefill(
    ids: ArrayLike<number>,
    options: CancelOptions & { onProgress?: (done: number, total: number) => void } = {},
  ): Promise<Floats> {
    const fn = "prefill";
    await this.fill(fn, ids, options);
    return this.#logits(this.native(fn));
  }

  /**
   * Feeds tokens behind the first `kept` of those held, a piece at a time, and returns how many need not be computed: `kept`,
   * or 0 where the model has a state that cannot go back.
   */
  async fill(
    fn: string,
    ids: ArrayLike<number>,
    options: CancelOptions & { onProgress?: (done: number, total: number) => void },
    kept = this.length,
  ): Promise<number> {
    const { signal, onProgress } = knownOptions(fn, options, ["signal", "onProgress"]);
    let list = idsOf(fn, ids);
    signal?.throwIfAborted();
    const native = this.native(fn);
    // The copy shares all blocks but the last, and is what remains when all went well.
    const copy = native.fork();
    if (copy === null) throw this.#core.failure();
    if (kept < native.length() && copy.trim(kept) !== 0) {
      list = Int32Array.from([...this.tokens().subarray(0, kept), ...list]);
      kept = 0;
      copy.trim(0);
    }
    const total = kept + list.length;
    const pace = new Pace();
    this.#filling = fn;
    try {
      for (let at = 0; at === 0 || at < list.length; at += PIECE) {
        if (at > 0) await pace.breathe(signal);
        this.assertLive(fn);
        this.#feed(fn, copy, list.subarray(at, at + PIECE), false, list.length === 0 ? 0 : total);
        onProgress?.(Math.min(at + PIECE, list.length), list.length);
      }
      this.assertLive(fn);
    } catch (error) {
      copy.delete();
      throw error;
    } finally {
      this.#filling = undefined;
    }
    this.#held.native = copy;
    native.delete();
    return kept;
  }

  trim(length: number): void {
    const kept = place("trim", "length", length);
    this.#do("trim", (native) => native.trim(kept));
  }

  drop(from: number, to: number, options: { rotate?: boolean | undefined } = {}): void {
    const fn = "drop";
    const { rotate = true } = knownOptions(fn, options, ["rotate"]);
    const range = [place(fn, "from", from), place(fn, "to", to), flag(fn, "rotate", rotate)] as const;
    this.#do(fn, (native) => native.drop(...range));
  }

  append(chunk: Chunk, range: { from?: number | undefined; to?: number | undefined } = {}): void {
    const fn = "append";
    if (!(chunk instanceof ModuleChunk && chunk.isIn(this.#core)))
      throw refuse.type(fn, "chunk", chunk, "a Chunk of the cache's decoder");
    chunk.assertLive(fn);
    const { from = 0, to = chunk.length } = knownOptions(fn, range, ["from", "to"], "range");
    const places = [place(fn, "from", from), place(fn, "to", to)] as const;
    chunk.assertLive(fn);
    this.#do(fn, (native) => native.append(chunk.native, ...places));
  }

  rescale(ropeParameters: object): void {
    const fn = "rescale";
    const json = jsonOf(fn, "ropeParameters", optionsObject(fn, "ropeParameters", ropeParameters));
    const native = this.native(fn);
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
    const size = native.keyElements(at);
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
