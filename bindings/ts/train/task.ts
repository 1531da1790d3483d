/**
 * Small tasks that need word order, made from a seed without end: what position encodings are compared on. Every task
 * is a masked language model's. The length of training and that of testing are two values of `sequence`.
 */
import type { Core } from "../module/core.js";
import { optionsObject, refusal, wholeNumber } from "../module/errors.js";
import { Handle } from "../module/handle.js";
import type { NativeTask, NativeTraining } from "../module/native.js";
import { optionsToJson } from "../module/options.js";
import type { TaskName, TaskOptions } from "./options.js";
import type { Evaluation } from "./trainer.js";

/** Chooses a batch. */
export interface TaskBatchOptions {
  /** Batches of one never come from the random numbers of the other. Default "train". */
  split?: "train" | "validation" | undefined;
  /** The number of the batch, from 0 to 2^32 - 1: each has another. Default 0. */
  index?: number | undefined;
  /** B, the number of sequences; with more than 2^24 tokens in all it is refused. */
  batch: number;
  /** S, from `shortestSequence` to 65536. */
  sequence: number;
}

/** A batch for `trainer.train` and `trainer.evaluate`: B*S values each. */
export interface TaskBatch {
  inputIds: Int32Array<ArrayBuffer>;
  batch: number;
  sequence: number;
  /** 1 for tokens, 0 for padding: after the last text of english, and one for an odd S of dyck. */
  attentionMask: Int32Array<ArrayBuffer>;
  /** The id that is asked for, -100 where nothing is. */
  labels: Int32Array<ArrayBuffer>;
}

export interface Task extends Disposable {
  readonly name: TaskName;
  /** One sentence: what is asked. */
  readonly description: string;
  /** 0 where the task has none. */
  readonly distance: number;
  /** `vocab_size` of the model's config.json. Id 0 is padding. */
  readonly vocabSize: number;
  /** The text of each token id. */
  readonly symbols: readonly string[];
  /** The least `sequence`. */
  readonly shortestSequence: number;
  /** Share of right answers of the best guess that sees no other token. */
  readonly chanceAccuracy: number;
  /**
   * The batch numbered `index` of a split: the same on every machine, for every encoding, whatever was made before.
   *
   * @throws RangeError for sizes out of range.
   */
  batch(options: TaskBatchOptions): TaskBatch;
  /**
   * The score of the best possible guesser on that batch: by the exact odds of each hidden token given all that is
   * visible, with the task's table or grammar known. No model does better on average. Loss 0 and accuracy 1 except for
   * markov and english. @throws as batch.
   */
  best(options: TaskBatchOptions): Evaluation;
  /** Frees the task. Doing so again has no effect; using it afterwards is an Error. */
  dispose(): void;
}

class ModuleTask extends Handle implements Task {
  readonly #core: Core;
  readonly #native: NativeTask;
  readonly name: TaskName;
  readonly description: string;
  readonly distance: number;
  readonly symbols: readonly string[];
  readonly vocabSize: number;
  readonly shortestSequence: number;
  readonly chanceAccuracy: number;

  constructor(core: Core, native: NativeTask) {
    super(core.owner, "Task", () => native.delete());
    this.#core = core;
    this.#native = native;
    native.name();
    this.name = core.text() as TaskName;
    native.description();
    this.description = core.text();
    this.distance = native.distance();
    native.symbols();
    this.symbols = Object.freeze(core.text().split(" "));
    this.vocabSize = this.symbols.length;
    this.shortestSequence = native.shortestSequence();
    this.chanceAccuracy = native.chanceAccuracy();
  }

  batch(options: TaskBatchOptions): TaskBatch {
    const { batch, sequence } = this.#make("batch", options);
    const size = batch * sequence;
    const address = this.#native.batchAddress();
    const part = (which: number) => this.#core.int32(address + 4 * which * size, size).slice();
    return { inputIds: part(0), batch, sequence, attentionMask: part(1), labels: part(2) };
  }

  best(options: TaskBatchOptions): Evaluation {
    this.#make("best", options);
    const native = this.#native;
    if (native.findBest() !== 0) throw this.#core.failure();
    return { loss: native.bestLoss(), accuracy: native.bestAccuracy() };
  }

  #make(fn: string, options: TaskBatchOptions): { batch: number; sequence: number } {
    const names = ["split", "index", "batch", "sequence"];
    const { split = "train", index = 0, batch, sequence } = optionsObject(fn, "options", options, names);
    if (split !== "train" && split !== "validation") {
      throw refusal("range", fn, "split", split, '"train" or "validation"');
    }
    const sizes = { batch: wholeNumber(fn, "batch", batch), sequence: wholeNumber(fn, "sequence", sequence) };
    const number = wholeNumber(fn, "index", index);
    this.assertLive(fn);
    if (this.#native.makeBatch(split === "validation", number, sizes.batch, sizes.sequence) !== 0) {
      throw this.#core.failureOfFile(fn);
    }
    return sizes;
  }
}

export function makeTask(core: Core<NativeTraining>, options: TaskOptions = {}): Task {
  const json = optionsToJson("task", optionsObject("task", "options", options));
  const native = core.withText("task", "`options`", json, (address, size) => core.native.makeTask(address, size));
  if (native === null) throw core.failure();
  return new ModuleTask(core, native);
}
