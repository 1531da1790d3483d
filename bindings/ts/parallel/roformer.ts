/**
 * A RoFormer in several workers: each has the whole model, all share one compiled module, and a batch or a list of texts
 * is divided among them. Answers are the same bits as those of one RoFormer.
 */

import { precisionOf } from "../model/precision.js";
import type { RoFormerInput, RoFormerOutput, RoFormerSource, RoFormerWants } from "../model/roformer.js";
import { type ClassScore, classScores, type MaskFilling, maskFillings, meanPooled } from "../model/roformer-answers.js";
import { readWants } from "../model/roformer-forward.js";
import { readInput } from "../model/roformer-input.js";
import { loadTokenizer, type Tokenizer } from "../model/tokenizer.js";
import { streamOf } from "../module/bytes.js";
import { compile } from "../module/compile.js";
import { optionsObject, refusal, wholeNumber } from "../module/errors.js";
import { Handle, Owner } from "../module/handle.js";
import { configToJson } from "../module/options.js";
import type { Open, OwnWasm } from "../module/platform.js";
import type { LoadProgress } from "../module/receive.js";
import type { Channel, Opened } from "./messages.js";
import { joinedOutputs, partsOf } from "./parts.js";
import { Team } from "./team.js";

export interface ParallelOptions extends LoadProgress {
  /** How many workers: a whole number from 1 to 64. Each holds the weights, and one core is busy for each. */
  workers: number;
}

export interface CallOptions {
  /** Aborting rejects with the signal's reason; the model stays usable. */
  signal?: AbortSignal;
}

/** As RoFormer, with lists where that has single texts, and promises where that answers at once. */
export interface ParallelRoFormer extends Disposable {
  readonly config: Readonly<Record<string, unknown>>;
  readonly parameterCount: number;
  readonly notes: readonly string[];
  /** How many there are. */
  readonly workers: number;
  /** The sequences of the batch divided among the workers. Rejects as RoFormer.forward throws. */
  forward(input: RoFormerInput, wants?: RoFormerWants, options?: CallOptions): Promise<RoFormerOutput>;
  /** Of each text what RoFormer.fillMask gives. */
  fillMask(texts: readonly string[], options?: CallOptions & { topK?: number }): Promise<MaskFilling[][][]>;
  /** Sentence vectors, [texts, hidden]. */
  embed(texts: readonly string[], options?: CallOptions): Promise<Float32Array>;
  /** Of each text what RoFormer.classify gives. */
  classify(texts: readonly string[], options?: CallOptions): Promise<ClassScore[][]>;
  /** Ends the workers; what they still do is rejected. Doing so again has no effect. */
  dispose(): void;
}

class TeamRoFormer extends Handle implements ParallelRoFormer {
  readonly #team: Team;
  readonly #tokenizer: Tokenizer | undefined;
  readonly config: Readonly<Record<string, unknown>>;
  readonly parameterCount: number;
  readonly notes: readonly string[];
  readonly workers: number;

  constructor(owner: Owner, team: Team, opened: Opened, tokenizer: Tokenizer | undefined) {
    super(owner, "RoFormer", 1, () => team.end(new Error("this RoFormer has been disposed")));
    this.#team = team;
    this.#tokenizer = tokenizer;
    this.config = Object.freeze(opened.config);
    this.parameterCount = opened.parameterCount;
    this.notes = opened.notes;
    this.workers = team.size;
  }

  async forward(input: RoFormerInput, wants: RoFormerWants = {}, options: CallOptions = {}): Promise<RoFormerOutput> {
    const fn = "forward";
    this.addressFor(fn);
    // Read here, so that a worker gets numbers and nothing else.
    const read = readInput(fn, optionsObject(fn, "input", input));
    const all = readWants(fn, wants);
    const { signal } = optionsObject(fn, "options", options);
    this.addressFor(fn);
    const parts = partsOf(read, this.workers) ?? [];
    // What one worker refuses, it refuses with the places of its part: asked for the whole, it names the true ones.
    if (parts.length > 1) {
      const asked = parts.map((part) => this.#pass(part, all, signal));
      const outputs = await Promise.all(asked).catch((error: unknown) => {
        if (error instanceof RangeError || error instanceof TypeError) return undefined;
        throw error;
      });
      await Promise.allSettled(asked);
      if (outputs !== undefined) return joinedOutputs(outputs);
    }
    return this.#pass(read, all, signal);
  }

  async fillMask(texts: readonly string[], options: CallOptions & { topK?: number } = {}): Promise<MaskFilling[][][]> {
    const fn = "fillMask";
    const { topK = 5 } = optionsObject(fn, "options", options);
    if (wholeNumber(fn, "topK", topK) === 0)
      throw new RangeError(refusal(fn, "topK", topK, "a whole number of at least 1"));
    const allowed = (tokenizer: Tokenizer) => `a text with ${tokenizer.maskToken} where a word is to be found`;
    return this.#each(fn, texts, { logits: true }, options, {
      check(ids, tokenizer, i) {
        if (ids.includes(tokenizer.maskId ?? -1)) return;
        throw new RangeError(refusal(fn, `texts[${i}]`, texts[i], allowed(tokenizer)));
      },
      answer({ logits }, ids, tokenizer) {
        if (logits === undefined) throw new Error(`${fn}: this checkpoint has no masked-language-model head`);
        return maskFillings(tokenizer, ids, logits, topK);
      },
    });
  }

  async embed(texts: readonly string[], options: CallOptions = {}): Promise<Float32Array> {
    const vectors = await this.#each("embed", texts, { logits: false }, options, {
      answer: ({ lastHiddenState }, ids) => meanPooled(lastHiddenState, ids.length),
    });
    const width = vectors[0]?.length ?? 0;
    const all = new Float32Array(vectors.length * width);
    vectors.forEach((vector, i) => {
      all.set(vector, i * width);
    });
    return all;
  }

  async classify(texts: readonly string[], options: CallOptions = {}): Promise<ClassScore[][]> {
    const fn = "classify";
    return this.#each(fn, texts, { logits: false }, options, {
      answer: ({ classLogits }) => {
        if (classLogits === undefined) throw new Error(`${fn}: this checkpoint has no sequence classification head`);
        return classScores(classLogits, this.config);
      },
    });
  }

  async #pass(input: RoFormerInput, wants: RoFormerWants, signal: AbortSignal | undefined): Promise<RoFormerOutput> {
    const answer = await this.#team.ask({ forward: { input, wants } }, signal);
    if (!("output" in answer)) throw new Error("forward: the worker answered something else");
    return answer.output;
  }

  /** One pass for each text, unpadded, so that it gives what it gives alone; all are checked before the first runs. */
  async #each<T>(
    fn: string,
    texts: readonly string[],
    wants: RoFormerWants,
    options: CallOptions,
    of: {
      check?(ids: number[], tokenizer: Tokenizer, i: number): void;
      answer(output: RoFormerOutput, ids: number[], tokenizer: Tokenizer): T;
    },
  ): Promise<T[]> {
    this.addressFor(fn);
    const tokenizer = this.#tokenizer;
    if (tokenizer === undefined)
      throw new Error(`${fn}: this model was loaded without \`tokenizer\`; it takes ids only`);
    if (!Array.isArray(texts)) throw new TypeError(refusal(fn, "texts", texts, "an array of texts"));
    const { signal } = optionsObject(fn, "options", options);
    const encoded = texts.map((text: unknown, i) => {
      if (typeof text !== "string") throw new TypeError(refusal(fn, `texts[${i}]`, text, "a text"));
      const { inputIds, tokenTypeIds, attentionMask } = tokenizer.encode(text);
      of.check?.(inputIds, tokenizer, i);
      return { inputIds, tokenTypeIds, attentionMask, sequence: inputIds.length };
    });
    const asked = encoded.map(async (input) =>
      of.answer(await this.#pass(input, wants, signal), input.inputIds, tokenizer),
    );
    await Promise.allSettled(asked);
    return Promise.all(asked);
  }
}

async function bytesOf(source: RoFormerSource["weights"], open: Open, progress: LoadProgress): Promise<ArrayBuffer> {
  const { onProgress, signal } = progress;
  signal?.throwIfAborted();
  const { size, chunks } = await streamOf("roformer", "weights", source, open, signal);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let loaded = 0;
  for await (const chunk of chunks) {
    signal?.throwIfAborted();
    parts.push(new Uint8Array(chunk));
    loaded += chunk.length;
    onProgress?.(loaded, size);
  }
  return new Blob(parts).arrayBuffer();
}

/** The first alone, since it finds out from where workers can be started here. */
async function openChannels(count: number, openChannel: () => Promise<Channel>): Promise<Channel[]> {
  const channels = [await openChannel()];
  const others = await Promise.allSettled(Array.from({ length: count - 1 }, openChannel));
  for (const other of others) if (other.status === "fulfilled") channels.push(other.value);
  const failed = others.find((other) => other.status === "rejected");
  if (failed === undefined) return channels;
  for (const channel of channels) channel.close();
  throw failed.reason;
}

export interface ParallelModels {
  roformer(source: RoFormerSource, options: ParallelOptions): Promise<ParallelRoFormer>;
  stats(): { handles: number; heapBytes: number };
}

export function openParallelModels(wasm: OwnWasm, open: Open, openChannel: () => Promise<Channel>): ParallelModels {
  const owner = new Owner();
  let compiling: Promise<WebAssembly.Module> | undefined;
  const compiled = async () => compile("modelWasm", await wasm(), open);
  return {
    stats: () => ({ handles: owner.live, heapBytes: 0 }),
    async roformer(source, options) {
      const fn = "roformer";
      const { config, weights, tokenizer } = optionsObject(fn, "source", source);
      const precision = precisionOf(fn, source);
      const { workers, ...progress } = optionsObject(fn, "options", options);
      if (wholeNumber(fn, "workers", workers) === 0 || workers > 64)
        throw new RangeError(refusal(fn, "workers", workers, "a whole number from 1 to 64"));
      const json = configToJson(fn, optionsObject(fn, "config", config));
      // Words are split here, before the work is.
      const words = tokenizer === undefined ? undefined : await loadTokenizer(tokenizer);
      compiling ??= compiled();
      compiling.catch(() => {
        compiling = undefined;
      });
      const [module, bytes] = await Promise.all([compiling, bytesOf(weights, open, progress)]);
      const team = new Team(await openChannels(workers, openChannel));
      try {
        const question = { open: { module, config: JSON.parse(json) as object, weights: bytes, precision } };
        const [opened] = await team.askAll(question, progress.signal);
        if (opened === undefined || !("opened" in opened)) throw new Error(`${fn}: a worker answered something else`);
        return new TeamRoFormer(owner, team, opened.opened, words);
      } catch (error) {
        team.end(error instanceof Error ? error : new Error(String(error)));
        throw error;
      }
    },
  };
}
