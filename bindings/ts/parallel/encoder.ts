/**
 * An encoder in several workers: each has the whole model, all share one compiled module, and a batch or a list of texts
 * is divided among them. Answers are the same bits as those of one encoder.
 */

import { withReason } from "../model/cancel.js";
import type { ReadInput } from "../model/encoder-input.js";
import { type EncoderInput, readInput } from "../model/encoder-input.js";
import { type EncoderOutput, type EncoderOutputs, type ReadOutputs, readOutputs } from "../model/encoder-output.js";
import type { ModelFiles } from "../model/files/model-files.js";
import { Incoming } from "../model/files/stream-weights.js";
import type { EncoderFacts, Passes } from "../model/heads/host.js";
import { ENCODER_OPTIONS, knownOptions } from "../model/options.js";
import { type EncoderOptions, type EncoderParts, encoderFacts, readEncoder } from "../model/read-encoder.js";
import { refuse } from "../model/refuse.js";
import { StaticEncoder } from "../model/static-encoder.js";
import type { CancelOptions } from "../model/text/embed-options.js";
import type { ParallelEncoder } from "../model/text/encoder-base.js";
import { Pace } from "../model/text/pace.js";
import { inGroups, TextModel } from "../model/text/text-model.js";
import type { LoadTokenizer, Tokenizer } from "../model/text/tokenizer.js";
import { compile } from "../module/compile.js";
import type { MemoryStats } from "../module/core.js";
import { failure, optionsObject, wholeNumber } from "../module/errors.js";
import { Owner } from "../module/handle.js";
import { type Int8Choice, type Int8Source, int8Choice, type Variant } from "../module/int8.js";
import type { ByteStream, Open, OwnWasm } from "../module/platform.js";
import type { LoadProgress } from "../module/receive.js";
import type { Channel } from "./calls.js";
import type { Opened, Opening } from "./messages.js";
import { joinedOutputs, partsOf } from "./parts.js";
import { WorkerPool } from "./worker-pool.js";

export interface ParallelModelOptions extends EncoderOptions {
  /** Number of workers, 1 to 64. Each holds the weights and keeps one core busy. */
  workers: number;
}

/** Texts of one message: as many as keep a worker busy for longer than the message takes. */
const TOKENS_IN_GROUP = 256;

class PooledEncoder extends TextModel implements ParallelEncoder {
  readonly #pool: WorkerPool;
  readonly workers: number;

  constructor(owner: Owner, pool: WorkerPool, facts: EncoderFacts, tokenizer: Tokenizer | undefined) {
    super(owner, facts, tokenizer, () => pool.end(failure("disposed", "", "this Encoder has been disposed")));
    this.#pool = pool;
    this.workers = pool.size;
  }

  async forward(
    input: EncoderInput,
    outputs: EncoderOutputs = {},
    options: CancelOptions = {},
  ): Promise<EncoderOutput> {
    const fn = "forward";
    this.assertLive(fn);
    // Read here, so that a worker gets numbers and nothing else.
    const read = readInput(fn, optionsObject(fn, "input", input));
    const asked = readOutputs(fn, outputs);
    const all = this.needed(fn, asked);
    const { signal } = optionsObject(fn, "options", options);
    this.assertLive(fn);
    const parts = partsOf(read, this.workers) ?? [];
    // An error of one worker counts places from the start of its part. Asked for the whole, it names the true ones.
    if (parts.length > 1) {
      const passes = parts.map((part) => this.#pass(part, all, signal));
      const found = await Promise.all(passes).catch((error: unknown) => {
        if (error instanceof RangeError || error instanceof TypeError) return undefined;
        throw error;
      });
      await Promise.allSettled(passes);
      if (found !== undefined) return this.completed(joinedOutputs(found), read, asked);
    }
    return this.completed(await this.#pass(read, all, signal), read, asked);
  }

  protected async run({ texts, outputs, signal, use }: Passes): Promise<void> {
    const pace = new Pace();
    const asked: Promise<void>[] = [];
    await inGroups(
      texts,
      (length) => Math.max(1, Math.floor(TOKENS_IN_GROUP / length)),
      async (input, group) => {
        await pace.breathe(signal);
        this.assertLive("forward");
        const answered = this.#pass(input, outputs, signal).then((output) => use(output, group));
        // Failures are told below, by whichever was first.
        answered.catch(() => {});
        asked.push(answered);
      },
    );
    await Promise.allSettled(asked);
    await Promise.all(asked);
  }

  #pass(input: ReadInput, outputs: ReadOutputs, signal: AbortSignal | undefined): Promise<EncoderOutput> {
    return this.#pool.ask("forward", { input, outputs }, signal);
  }
}

/** A model without a transformer needs no workers: a vector takes less time than a message. */
class StaticParallel extends StaticEncoder implements ParallelEncoder {
  readonly workers = 0;

  override forward(): never {
    // As a rejection, since others answer by a promise.
    return (async () => super.forward())() as never;
  }
}

/** Bytes of one message: what the window of the loader takes at once. */
const MOST_IN_MESSAGE = 1 << 20;

/** A copy of some bytes, in `shared` where workers see it, else one that is copied once more for each of them. */
function copyOf(bytes: Uint8Array, shared: SharedArrayBuffer | undefined): Uint8Array {
  if (shared === undefined) return new Uint8Array(bytes);
  const copy = new Uint8Array(shared, 0, bytes.length);
  copy.set(bytes);
  return copy;
}

/** Opens the model in every worker, which all need the same bytes at the same time: nobody holds a whole file. */
async function openIn(
  pool: WorkerPool,
  opening: Omit<Opening, "weights">,
  streams: readonly ByteStream[],
  { onProgress, signal }: LoadProgress,
): Promise<Opened> {
  const files = streams.map((stream) => new Incoming(stream));
  const sum = files.reduce((all, { size }) => all + (size ?? Number.NaN), 0);
  let total = Number.isNaN(sum) ? undefined : sum;
  // A size that may not be true is not for the loader.
  const weights = files.map(({ trustedSize: size, name }) => ({ size, ...(name !== undefined && { name }) }));
  // One for each file: the loader begins another while it has bytes left of the first.
  const shared = files.map(() =>
    typeof SharedArrayBuffer === "undefined" ? undefined : new SharedArrayBuffer(MOST_IN_MESSAGE),
  );
  let loaded = 0;
  try {
    let [step] = await pool.askAll("open", { ...opening, weights }, signal);
    while ("needs" in step!) {
      const file = files[step.needs]!;
      const bytes = await file.peek(MOST_IN_MESSAGE);
      const { length } = bytes ?? [];
      [step] = await pool.askAll("take", bytes && copyOf(bytes, shared[step.needs]), signal);
      file.take(length);
      loaded += length;
      if ("needs" in step!) total ??= step.total;
      if (length > 0) onProgress?.(loaded, total);
    }
    return step!;
  } finally {
    for (const file of files) file.close();
  }
}

/** The first alone, since it finds out from where workers can be started here. */
async function openChannels(count: number, openChannel: () => Promise<Channel>): Promise<Channel[]> {
  const channels = [await openChannel()];
  const others = await Promise.allSettled(Array.from({ length: count - 1 }, () => openChannel()));
  for (const other of others) if (other.status === "fulfilled") channels.push(other.value);
  const failed = others.find((other) => other.status === "rejected");
  if (failed === undefined) return channels;
  for (const channel of channels) channel.close();
  throw failed.reason;
}

export interface ParallelModels {
  encoder(files: ModelFiles, options: ParallelModelOptions): Promise<ParallelEncoder>;
  stats(): MemoryStats;
  /** The variant that models in int8 use in the workers that were started last. */
  readonly variant: Variant;
}

export function openParallelModels(
  wasm: OwnWasm,
  open: Open,
  int8: Int8Source,
  openChannel: (fn: string) => Promise<Channel>,
  loadTokenizer: LoadTokenizer,
): ParallelModels {
  const owner = new Owner();
  let variant: Variant = "simd";
  let compiling: Promise<[WebAssembly.Module, Int8Choice]> | undefined;
  const compiled = async () => Promise.all([compile("modelWasm", await wasm(), open), int8Choice(int8, open)]);

  /** One model in each worker. */
  async function openPool(parts: EncoderParts, workers: number, progress: LoadProgress): Promise<ParallelEncoder> {
    if (parts.readStatic) return new StaticParallel(owner, await parts.readStatic(progress), parts.tokenizer);
    compiling ??= compiled();
    compiling.catch(() => {
      compiling = undefined;
    });
    const { source, tokenizer } = parts;
    const [module, choice] = await compiling;
    const pool = new WorkerPool(source.fn, await openChannels(workers, () => openChannel(source.fn)));
    try {
      progress.signal?.throwIfAborted();
      const opened = await openIn(pool, { module, int8: choice, source }, await parts.weights(), progress);
      variant = opened.variant;
      return new PooledEncoder(owner, pool, encoderFacts(parts, opened.facts), tokenizer);
    } catch (error) {
      pool.end(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
  }

  function checkWorkers(fn: string, { workers }: { workers: number }): number {
    if (typeof workers === "number" && !(workers >= 1 && workers <= 64 && Number.isInteger(workers)))
      throw refuse.range(fn, "workers", workers, "a whole number from 1 to 64");
    return wholeNumber(fn, "workers", workers);
  }

  return {
    get variant() {
      return variant;
    },
    stats: () => ({ handles: owner.live, heapBytes: 0, memoryBytes: 0 }),
    async encoder(files, options) {
      const fn = "encoder";
      const workers = checkWorkers(fn, knownOptions(fn, options, ENCODER_OPTIONS));
      const opened = async () => openPool(await readEncoder(fn, files, open, loadTokenizer, options), workers, options);
      return withReason(opened(), options.signal);
    },
  };
}
