/** A decoder in this thread. */
import type { Core } from "../../module/core.js";
import { optionsObject } from "../../module/errors.js";
import { Handle } from "../../module/handle.js";
import type { NativeChunk, NativeDecoder, NativeDecoding, NativeKeyCache } from "../../module/native.js";
import type { LoadProgress } from "../../module/receive.js";
import { Scratch } from "../../module/scratch.js";
import type { Json } from "../files/read.js";
import { refuse } from "../refuse.js";
import type { LayerRope } from "../text/encoder-base.js";
import type { Tokenizer } from "../text/tokenizer.js";
import { cacheOptions, flag, idsOf, text } from "./arguments.js";
import { generate } from "./generate.js";
import { tokenizerOfGguf } from "./gguf-tokenizer.js";
import { type Family, ModuleChunk, ModuleKeyCache } from "./key-cache.js";
import { loadDecoder } from "./load-decoder.js";
import { type DecoderParts, eosOfGguf } from "./read-decoder.js";
import type { CacheOptions, Chunk, Decoder, GenerateOptions, Generation, KeyCache } from "./surface.js";

function ropesOf(core: Core, native: NativeDecoder): LayerRope[] {
  native.ropes();
  const lines = core.text().split("\n").filter(Boolean);
  return lines.map((line) => {
    const [layers, window, ...words] = line.split(" ");
    return {
      layers: layers!.split(",").map(Number),
      window: window === "-" ? null : Number(window),
      explain: words.join(" "),
    };
  });
}

function notesOf(core: Core, native: NativeDecoder): string[] {
  native.notes();
  return core.text().split("\n").filter(Boolean);
}

class ModuleDecoder extends Handle implements Decoder {
  readonly #core: Core<NativeDecoding>;
  readonly #native: NativeDecoder;
  readonly #tokenizer: Tokenizer | undefined;
  readonly #eos: ReadonlySet<number>;
  /** Caches and chunks that may still be alive. */
  readonly #made = new Set<WeakRef<Handle>>();
  readonly #family: Family;
  /** The reason why there is no tokenizer. */
  readonly #why: string;
  readonly config: Json;
  readonly modelType: string;
  readonly parameterCount: number;
  readonly context: number;
  readonly notes: readonly string[];
  readonly ropes: readonly LayerRope[];

  constructor(
    core: Core<NativeDecoding>,
    native: NativeDecoder,
    parts: DecoderParts,
    tokenizer: Tokenizer | string = "without a tokenizer",
  ) {
    super(core.owner, "Decoder", () => native.delete());
    this.#core = core;
    this.#native = native;
    this.#tokenizer = typeof tokenizer === "string" ? undefined : tokenizer;
    this.#why = String(tokenizer);
    this.#family = { core, adopt: (handle) => this.#adopt(handle) };
    native.config();
    const config = JSON.parse(core.text()) as Json;
    const { model_type: type, "general.architecture": architecture = "llama" } = config;
    this.config = Object.freeze(config);
    this.modelType = String(type ?? architecture);
    this.#eos = parts.eos ?? eosOfGguf(config);
    this.parameterCount = native.parameterCount();
    this.context = native.context();
    this.notes = Object.freeze(notesOf(core, native));
    this.ropes = Object.freeze(ropesOf(core, native));
  }

  #adopt<T extends Handle>(handle: T): T {
    for (const each of this.#made) if (each.deref() === undefined) this.#made.delete(each);
    this.#made.add(new WeakRef(handle));
    return handle;
  }

  #words(fn: string): Tokenizer {
    if (this.#tokenizer === undefined)
      throw new Error(
        `${fn}: this model was loaded ${this.#why}; pass ids, or load it with tokenizer.json beside its weights`,
      );
    return this.#tokenizer;
  }

  /** Less what the tokenizer puts behind a text. */
  #encode(fn: string, words: string, special: boolean): number[] {
    const { encoded, first } = this.#words(fn).encode(fn, words);
    return encoded.inputIds.slice(special ? 0 : first[0], first[1]);
  }

  encode(words: string, options: { addSpecialTokens?: boolean } = {}): number[] {
    const fn = "encode";
    this.assertLive(fn);
    const { addSpecialTokens = true } = optionsObject(fn, "options", options);
    const { encoded, first } = this.#words(fn).encode(fn, text(fn, "text", words));
    return flag(fn, "addSpecialTokens", addSpecialTokens) ? encoded.inputIds : encoded.inputIds.slice(...first);
  }

  decode(ids: ArrayLike<number>, options: { skipSpecialTokens?: boolean } = {}): string {
    const fn = "decode";
    this.assertLive(fn);
    const { skipSpecialTokens = true } = optionsObject(fn, "options", options);
    return this.#words(fn).decode(Array.from(idsOf(fn, ids)), flag(fn, "skipSpecialTokens", skipSpecialTokens));
  }

  #cache(native: NativeKeyCache | null): ModuleKeyCache {
    if (native === null) throw this.#core.failure();
    return this.#adopt(new ModuleKeyCache(this.#family, native));
  }

  cache(options: CacheOptions = {}): KeyCache {
    const fn = "cache";
    this.assertLive(fn);
    return this.#cache(this.#native.makeCache(...cacheOptions(fn, options)));
  }

  chunk(ids: ArrayLike<number>, options: CacheOptions = {}): Chunk {
    const fn = "chunk";
    this.assertLive(fn);
    const list = idsOf(fn, ids);
    const [keys, type] = cacheOptions(fn, options);
    const scratch = new Scratch(this.#core, fn);
    try {
      const native: NativeChunk | null = this.#native.makeChunk(scratch.int32("ids", list), list.length, keys, type);
      if (native === null) throw this.#core.failure();
      return this.#adopt(new ModuleChunk(this.#family, native));
    } finally {
      scratch.free();
    }
  }

  generate(prompt: string | ArrayLike<number>, options: GenerateOptions = {}): Generation {
    const source = {
      core: this.#core,
      context: this.context,
      tokenizer: this.#tokenizer,
      eos: this.#eos,
      cache: () => this.#cache(this.#native.makeCache(-1, 0)),
      encode: (fn: string, words: string, special: boolean) => this.#encode(fn, words, special),
      check: (fn: string) => void this.assertLive(fn),
      owns: (cache: ModuleKeyCache) => cache.family === this.#family,
    };
    return generate(source, prompt, options);
  }

  restore(bytes: Uint8Array): KeyCache {
    const fn = "restore";
    this.assertLive(fn);
    if (!(bytes instanceof Uint8Array)) throw refuse.type(fn, "bytes", bytes, "a Uint8Array that `save` returned");
    const scratch = new Scratch(this.#core, fn);
    try {
      const address = scratch.allocate("bytes", bytes.length);
      this.#core.bytes(address, bytes.length).set(bytes);
      return this.#cache(this.#native.restore(address, bytes.length));
    } finally {
      scratch.free();
    }
  }

  override dispose(): void {
    for (const each of this.#made) each.deref()?.dispose();
    this.#made.clear();
    super.dispose();
  }
}

/** The tokenizer in a GGUF file, or a sentence that says why there is none. */
async function ownTokenizer({ fn, loadTokenizer }: DecoderParts, metadata: Json): Promise<Tokenizer | string> {
  const source = tokenizerOfGguf(metadata);
  if (typeof source === "string") return source;
  try {
    return await loadTokenizer({ fn, argument: "tokenizer.ggml.tokens", source });
  } catch (error) {
    // The model takes ids all the same.
    return `with a vocabulary that cannot be read (${(error as Error).message})`;
  }
}

export async function openDecoder(
  core: Core<NativeDecoding>,
  parts: DecoderParts,
  progress: LoadProgress,
): Promise<Decoder> {
  progress.signal?.throwIfAborted();
  const wantsVocabulary = parts.json === "" && parts.tokenizer === undefined;
  const { native, vocabulary } = await loadDecoder(core, parts, progress, wantsVocabulary);
  try {
    const tokenizer = parts.tokenizer ?? (vocabulary && (await ownTokenizer(parts, vocabulary)));
    return new ModuleDecoder(core, native, parts, tokenizer);
  } catch (error) {
    native.delete();
    throw error;
  }
}
