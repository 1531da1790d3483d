/** A decoder in this thread. */
import { viewOf } from "../../module/bytes.js";
import type { Core } from "../../module/core.js";
import { optionsObject } from "../../module/errors.js";
import { Handle } from "../../module/handle.js";
import type { NativeChunk, NativeDecoder, NativeDecoding, NativeKeyCache } from "../../module/native.js";
import type { LoadProgress } from "../../module/receive.js";
import { Scratch } from "../../module/scratch.js";
import type { Chat } from "../chat/chat.js";
import type { ChatMessage, ChatTemplateOptions } from "../chat/surface.js";
import { namedTokensOfGguf, templatesOfGguf } from "../chat/templates.js";
import type { Json } from "../files/read.js";
import type { Form, Grammars } from "../grammar/grammar.js";
import { flag, knownOptions } from "../options.js";
import { tokenizerIn } from "../read-encoder.js";
import { refuse } from "../refuse.js";
import type { CancelOptions } from "../text/embed-options.js";
import type { LayerRope } from "../text/encoder-base.js";
import type { Tokenizer } from "../text/tokenizer.js";
import { cacheOptions, idsOf, promptIds, text } from "./arguments.js";
import { checkChoices, choose } from "./choose.js";
import { generate, generateFrom, OPTIONS, type Prompt, type Source, type Start } from "./generate.js";
import { type Family, ModuleChunk, ModuleKeyCache } from "./key-cache.js";
import { loadDecoder } from "./load-decoder.js";
import { chatOf, type DecoderParts, eosOfGguf, type LoadLater } from "./read-decoder.js";
import type {
  CacheOptions,
  ChatOptions,
  Choice,
  Chunk,
  Decoder,
  GenerateOptions,
  Generation,
  KeyCache,
} from "./surface.js";

const TEMPLATE_OPTIONS = [
  ...["addGenerationPrompt", "continueFinalMessage", "tools", "documents", "template", "variables"],
];
const CHAT_OPTIONS = [
  ...[...TEMPLATE_OPTIONS, "trustContent"],
  // The template writes special tokens.
  ...OPTIONS.filter((name) => name !== "addSpecialTokens"),
];

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
  #sweepAt = 16;
  readonly #family: Family;
  readonly #chat: Chat | undefined;
  readonly #later: LoadLater;
  /** By the ids that end a text. */
  readonly #grammars = new Map<ReadonlySet<number>, Promise<Grammars>>();
  /** Also the token with which the template ends an answer; found with the first chat. */
  #turnEnds: ReadonlySet<number> | undefined;
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
    chat?: Chat,
  ) {
    super(core.owner, "Decoder", () => native.delete());
    this.#core = core;
    this.#native = native;
    this.#tokenizer = typeof tokenizer === "string" ? undefined : tokenizer;
    this.#why = String(tokenizer);
    this.#chat = chat;
    this.#later = parts.later;
    this.#family = { core, adopt: (handle) => this.#adopt(handle) };
    native.config();
    const config = JSON.parse(core.text()) as Json;
    const { model_type: type, "general.architecture": architecture = "llama" } = config;
    this.config = Object.freeze(config);
    this.modelType = String(type ?? architecture);
    this.#eos = parts.eos ?? eosOfGguf(config);
    this.parameterCount = native.parameterCount();
    this.context = native.context();
    this.notes = Object.freeze([...parts.notes, ...notesOf(core, native)]);
    this.ropes = Object.freeze(ropesOf(core, native));
  }

  #adopt<T extends Handle>(handle: T): T {
    // Looked through when it has doubled, so that each costs the same however many there were.
    if (this.#made.size >= this.#sweepAt) {
      for (const each of this.#made) if (!each.deref()?.isLive) this.#made.delete(each);
      this.#sweepAt = 2 * this.#made.size + 16;
    }
    this.#made.add(new WeakRef(handle));
    return handle;
  }

  #words(fn: string): Tokenizer {
    if (this.#tokenizer === undefined)
      throw refuse.lacking(
        fn,
        `this model was loaded ${this.#why}; pass ids, or load it with tokenizer.json beside its weights`,
      );
    return this.#tokenizer;
  }

  /** Less what the tokenizer puts behind a text. */
  #encode(fn: string, words: string, special: boolean): number[] {
    const { encoded, first } = this.#words(fn).encode(fn, words);
    return encoded.inputIds.slice(special ? 0 : first[0], first[1]);
  }

  encode(words: string, options: { addSpecialTokens?: boolean | undefined } = {}): number[] {
    const fn = "encode";
    this.assertLive(fn);
    const { addSpecialTokens = true } = knownOptions(fn, options, ["addSpecialTokens"]);
    const { encoded, first } = this.#words(fn).encode(fn, text(fn, "text", words));
    return flag(fn, "addSpecialTokens", addSpecialTokens) ? encoded.inputIds : encoded.inputIds.slice(...first);
  }

  decode(ids: ArrayLike<number>, options: { skipSpecialTokens?: boolean | undefined } = {}): string {
    const fn = "decode";
    this.assertLive(fn);
    const { skipSpecialTokens = true } = knownOptions(fn, options, ["skipSpecialTokens"]);
    return this.#words(fn).decode(Array.from(idsOf(fn, ids)), flag(fn, "skipSpecialTokens", skipSpecialTokens));
  }

  #cache(native: NativeKeyCache | null): ModuleKeyCache {
    if (native === null) throw this.#core.failure();
    return this.#adopt(new ModuleKeyCache(this.#family, native));
  }

  cache(options: CacheOptions = {}): KeyCache {
    const fn = "cache";
    const [keys, type, parts] = cacheOptions(fn, options);
    this.assertLive(fn);
    const scratch = new Scratch(this.#core, fn);
    try {
      const address = scratch.int32("withoutRotation", parts);
      return this.#cache(this.#native.makeCache(keys, type, address, parts.length / 3));
    } finally {
      scratch.free();
    }
  }

  chunk(ids: ArrayLike<number>, options: CacheOptions = {}): Chunk {
    const fn = "chunk";
    const list = idsOf(fn, ids);
    const [keys, type, parts] = cacheOptions(fn, options);
    this.assertLive(fn);
    const scratch = new Scratch(this.#core, fn);
    try {
      const [at, left] = [scratch.int32("ids", list), scratch.int32("withoutRotation", parts)];
      const native: NativeChunk | null = this.#native.makeChunk(at, list.length, keys, type, left, parts.length / 3);
      if (native === null) throw this.#core.failure();
      return this.#adopt(new ModuleChunk(this.#family, native));
    } finally {
      scratch.free();
    }
  }

  get chats(): boolean {
    return this.#chat !== undefined;
  }

  #template(fn: string): Chat {
    this.assertLive(fn);
    if (this.#chat !== undefined) return this.#chat;
    const why = "the files of this model hold no chat template; write the prompt yourself, for `generate`";
    throw refuse.lacking(fn, why);
  }

  renderChat(messages: readonly ChatMessage[], options: ChatTemplateOptions = {}): string {
    const fn = "renderChat";
    return this.#template(fn).render(fn, messages, knownOptions(fn, options, TEMPLATE_OPTIONS));
  }

  encodeChat(
    messages: readonly ChatMessage[],
    options: ChatTemplateOptions & { trustContent?: boolean | undefined } = {},
  ): number[] {
    const fn = "encodeChat";
    const { trustContent = false, ...template } = knownOptions(fn, options, [...TEMPLATE_OPTIONS, "trustContent"]);
    const trusted = flag(fn, "trustContent", trustContent);
    return this.#template(fn).encode(fn, this.#words(fn), messages, template, trusted);
  }

  chat(messages: readonly ChatMessage[], options: ChatOptions = {}): Generation {
    return generateFrom(() => this.#answer(messages, options));
  }

  #answer(messages: readonly ChatMessage[], options: ChatOptions): Start {
    const fn = "chat";
    const { addGenerationPrompt, continueFinalMessage, tools, documents, template, variables, trustContent, ...rest } =
      optionsObject(fn, "options", options);
    const form = { addGenerationPrompt, continueFinalMessage, tools, documents, template, variables, trustContent };
    const prepare = (held: Int32Array): Prompt => difference(held, this.encodeChat(messages, form));
    const source = { ...this.#source(), fn, options: CHAT_OPTIONS, eos: this.#endsOfTurn(fn) };
    return { source, prepare, options: rest };
  }

  #endsOfTurn(fn: string): ReadonlySet<number> {
    const chat = this.#template(fn);
    if (this.#turnEnds === undefined) {
      const words = this.#words(fn);
      const found = [chat.turnEnd(words), chat.eos === undefined ? undefined : words.idOf(chat.eos)];
      this.#turnEnds = new Set([...this.#eos, ...found.filter((id) => id !== undefined)]);
    }
    return this.#turnEnds;
  }

  generate(prompt: string | ArrayLike<number>, options: GenerateOptions = {}): Generation {
    return generate(this.#source(), prompt, options);
  }

  async choose(
    prompt: string | ArrayLike<number>,
    choices: readonly string[],
    options: CancelOptions = {},
  ): Promise<Choice[]> {
    const fn = "choose";
    this.assertLive(fn);
    const { signal } = knownOptions(fn, options, ["signal"]);
    const all = checkChoices(choices);
    const words = this.#words(fn);
    // A text is encoded with its choice, since a token may lie across the border.
    const start = typeof prompt === "string" ? this.#encode(fn, prompt, true) : promptIds(fn, prompt);
    const lists = all.map((choice) =>
      typeof prompt === "string"
        ? this.#encode(fn, prompt + choice, true)
        : [...start, ...this.#plain(words, fn, choice)],
    );
    if (start.length === 0) throw refuse.range(fn, "prompt", prompt, "at least one token");
    // Once more: reading arguments can run a caller's code, which may dispose of the model.
    this.assertLive(fn);
    const cache = this.#cache(this.#native.makeCache(-1, 0, 0, 0));
    try {
      return await choose(cache, all, lists, start.length, { signal });
    } finally {
      cache.dispose();
    }
  }

  #plain(words: Tokenizer, fn: string, text: string): number[] {
    const { encoded, first } = words.encode(fn, text);
    return encoded.inputIds.slice(...first);
  }

  #source(): Source {
    return {
      fn: "generate",
      options: OPTIONS,
      core: this.#core,
      context: this.context,
      tokenizer: this.#tokenizer,
      eos: this.#eos,
      cache: () => this.#cache(this.#native.makeCache(-1, 0, 0, 0)),
      encode: (fn: string, words: string, special: boolean) => this.#encode(fn, words, special),
      check: (fn: string) => void this.assertLive(fn),
      owns: (cache: ModuleKeyCache) => cache.family === this.#family,
      matcher: async (fn: string, form: Form, eos: ReadonlySet<number>) =>
        (await this.#grammarsFor(fn, form, eos)).matcher(fn, form),
    };
  }

  #grammarsFor(fn: string, { regex }: Form, eos: ReadonlySet<number>): Promise<Grammars> {
    const known = this.#grammars.get(eos);
    if (known !== undefined) return known;
    const option = regex === undefined ? "schema" : "regex";
    const pieces = this.#words(fn).pieces();
    if (pieces === undefined)
      throw refuse.lacking(fn, `\`${option}\` needs a tokenizer of bytes or of SentencePiece; this model has another`);
    if (eos.size === 0) throw refuse.lacking(fn, `\`${option}\` needs a model that names a token which ends a text`);
    const stops = [...eos];
    const size = Math.max(pieces.texts.length, ...stops.map((id) => id + 1));
    const grammars = this.#later.loadGrammars().then((of) => of({ pieces, size, stops }));
    this.#grammars.set(eos, grammars);
    // Another request may load what was not there.
    grammars.catch(() => this.#grammars.delete(eos));
    return grammars;
  }

  restore(bytes: Uint8Array | ArrayBuffer): KeyCache {
    const fn = "restore";
    this.assertLive(fn);
    if (!(bytes instanceof Uint8Array || bytes instanceof ArrayBuffer))
      throw refuse.type(fn, "bytes", bytes, "what `save` returned, as a Uint8Array or an ArrayBuffer");
    // A subclass may say another length than it has.
    const saved = viewOf(bytes);
    const scratch = new Scratch(this.#core, fn);
    try {
      const address = scratch.allocate("bytes", saved.length);
      this.#core.bytes(address, saved.length).set(saved);
      return this.#cache(this.#native.restore(address, saved.length));
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

/** The chat template in a GGUF file. */
async function ownChat({ named, later }: DecoderParts, metadata: Json | undefined): Promise<Chat | undefined> {
  if (metadata === undefined) return undefined;
  return chatOf(templatesOfGguf(metadata), { ...namedTokensOfGguf(metadata), ...named }, later);
}

/** The ids behind those at their beginning that the cache holds; at least one, whose logits choose the next. */
function difference(held: Int32Array, ids: readonly number[]): Prompt {
  let kept = 0;
  while (kept < held.length && kept < ids.length - 1 && held[kept] === ids[kept]) kept++;
  return { ids: ids.slice(kept), kept };
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
    const tokenizer =
      parts.tokenizer ?? (vocabulary && (await tokenizerIn(parts.fn, vocabulary, parts.later.loadTokenizer)));
    return new ModuleDecoder(core, native, parts, tokenizer, parts.chat ?? (await ownChat(parts, vocabulary)));
  } catch (error) {
    native.delete();
    throw error;
  }
}
