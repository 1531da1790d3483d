/**
 * Trains a RoFormer with any position encoding: masked or causal language model, sequence classification or regression,
 * sentence vectors by contrast, AdamW. The same seed gives the same bits on every machine.
 */

import { copyInput, type EncoderInput, readInput } from "../model/encoder-input.js";
import { integersOf, numbersOf } from "../module/arrays.js";
import { type ByteSource, streamOf } from "../module/bytes.js";
import type { Core } from "../module/core.js";
import { optionsObject, refusal } from "../module/errors.js";
import { Handle } from "../module/handle.js";
import type { NativeTrainer, NativeTraining } from "../module/native.js";
import { BATCH_BLOCK, WORKS } from "../module/numbers.js";
import { configToJson, optionsToJson } from "../module/options.js";
import type { Open } from "../module/platform.js";
import { type LoadProgress, receive } from "../module/receive.js";
import { Scratch } from "../module/scratch.js";
import type { Objective, TrainingOptions } from "./options.js";

export interface TrainerOptions extends TrainingOptions {
  /**
   * Hugging Face's config.json, parsed, plus the optional key `position_encoding` (a PositionEncoding, default "rope").
   * The dropout probabilities in it act in training, and are 0.1 where it has none.
   */
  config: object;
  /**
   * Start from this model.safetensors; without it, from `seed`, as does the head of the objective if the file holds
   * nothing of it (then `notes` say so). If it was saved with the state of the optimiser, training with the other
   * options as before goes on as if it had not stopped.
   */
  weights?: ByteSource | undefined;
}

export interface TrainerBatch extends EncoderInput {
  /**
   * Masked language model: B*S values, the id of the hidden token, or -100 where nothing is to be learnt.
   * Causal language model: B*S values, the id that follows each token, or -100; left out, they are the ids of the
   * input, where neither a token nor the one after it is padding.
   * Classification: B values, the class, or -100.
   * Contrastive: none. B is even and at least 4; the sequences at 2i and 2i + 1 are pair i, the anchor first.
   */
  labels?: ArrayLike<number> | undefined;
  /** Regression, instead of labels: B finite numbers. */
  targets?: ArrayLike<number> | undefined;
}

export interface TrainingStep {
  /** Mean cross-entropy over the labels or pairs, in nats, or mean squared error of the targets; before the step. */
  loss: number;
  /** Length of the gradient of all parameters, before clipping. */
  gradientNorm: number;
  /** The rate of this step. */
  learningRate: number;
  /**
   * Share of the labels that are the likeliest guess, or of the sequences whose partner is the nearest sequence of the
   * other kind; NaN in regression.
   */
  accuracy: number;
}

/** Scores of a model on a batch. */
export interface Evaluation {
  /** Mean over the labels: cross-entropy in nats; of a regression the squared error; of "contrastive" InfoNCE in nats. */
  loss: number;
  /** Share of the labels that are right, 0 to 1; NaN in regression. */
  accuracy: number;
}

export interface GradientsOfBatch extends Evaluation {
  /** By the name of the parameter in the checkpoint, row-major. */
  gradients: Map<string, Float32Array>;
}

export interface SaveOptions {
  /** "float16" is rounded to nearest, half the size, and cannot hold the state of the optimiser. Default "float32". */
  dtype?: "float32" | "float16" | undefined;
  /** Add the moments and the step, so that a trainer from this file goes on bit for bit. Default false. */
  optimizer?: boolean | undefined;
}

export interface Trainer extends Disposable {
  /**
   * config.json as it was given. `ropewalk.encoder({ "config.json": trainer.config, "model.safetensors": trainer.save() })`
   * loads what has been trained.
   */
  readonly config: Readonly<Record<string, unknown>>;
  /** Steps taken, those before a resumed save included. */
  readonly step: number;
  /** Numbers that training changes; a tied weight counts once. */
  readonly parameterCount: number;
  /** One sentence for each thing in the weights that was not used, or that they lack. */
  readonly notes: readonly string[];
  /**
   * One step of the optimiser, on the caller's thread: in a page, call it from a worker.
   *
   * @throws RangeError for ids, labels and lengths out of range, and for a gradient that is not finite; the weights are
   * as before then.
   */
  train(batch: TrainerBatch): TrainingStep;
  /** Loss and accuracy, with neither dropout nor a step. @throws as train. */
  evaluate(batch: TrainerBatch): Evaluation;
  /** Loss and the gradient of every parameter, with neither dropout nor a step. @throws as train. */
  gradients(batch: TrainerBatch): GradientsOfBatch;
  /** The bytes of a model.safetensors with Hugging Face's names: for `ropewalk.encoder`, `trainer`, or Python. */
  save(options?: SaveOptions): Uint8Array<ArrayBuffer>;
  /** Frees the trainer. Doing so again has no effect; using it afterwards is an Error. */
  dispose(): void;
}

class ModuleTrainer extends Handle implements Trainer {
  readonly #core: Core;
  readonly #native: NativeTrainer;
  readonly config: Readonly<Record<string, unknown>>;
  readonly parameterCount: number;
  readonly notes: readonly string[];
  readonly #objective: Objective;

  constructor(core: Core, native: NativeTrainer, objective: Objective) {
    super(core.owner, "Trainer", () => native.delete());
    this.#core = core;
    this.#native = native;
    native.configJson();
    this.config = Object.freeze(JSON.parse(core.text()) as Record<string, unknown>);
    this.parameterCount = native.parameterCount();
    native.notes();
    this.notes = core.text().split("\n").filter(Boolean);
    this.#objective = objective;
  }

  get step(): number {
    this.assertLive("step");
    return this.#native.step();
  }

  train(batch: TrainerBatch): TrainingStep {
    const { loss, accuracy } = this.#run("train", batch);
    return { loss, gradientNorm: this.#native.gradientNorm(), learningRate: this.#native.learningRate(), accuracy };
  }

  evaluate(batch: TrainerBatch): Evaluation {
    return this.#run("evaluate", batch);
  }

  gradients(batch: TrainerBatch): GradientsOfBatch {
    const evaluation = this.#run("gradients", batch);
    const native = this.#native;
    const gradients = new Map<string, Float32Array>();
    for (let i = 0; i < native.gradientCount(); i++) {
      const values = this.#core.float32(native.gradientAddress(i), native.gradientSize(i)).slice();
      native.gradientName(i);
      gradients.set(this.#core.text(), values);
    }
    return { ...evaluation, gradients };
  }

  save(options: SaveOptions = {}): Uint8Array<ArrayBuffer> {
    const fn = "save";
    const { dtype = "float32", optimizer = false } = optionsObject(fn, "options", options, ["dtype", "optimizer"]);
    if (dtype !== "float32" && dtype !== "float16") {
      throw refusal("range", fn, "dtype", dtype, '"float32" or "float16"');
    }
    if (typeof optimizer !== "boolean") throw refusal("type", fn, "optimizer", optimizer, "true or false");
    if (optimizer && dtype === "float16") {
      throw refusal("range", fn, "optimizer", optimizer, 'false with `dtype` "float16": moments need float32');
    }
    this.assertLive(fn);
    const core = this.#core;
    const native = this.#native;
    if (native.planFile(dtype === "float16", optimizer) !== 0) throw core.failure();
    const size = native.fileSize();
    const address = core.allocate(fn, "the file", size);
    try {
      if (native.writeFile(address, size) !== 0) throw core.failure();
      return core.bytes(address, size).slice();
    } finally {
      core.free(address);
    }
  }

  #run(fn: (typeof WORKS)[number], batch: TrainerBatch): Evaluation {
    this.assertLive(fn);
    const core = this.#core;
    const native = this.#native;
    const { labels, targets } = optionsObject(fn, "batch", batch);
    const read = readInput(fn, batch);
    if (read.sequenceIds !== undefined)
      throw refusal("unsupported", fn, "sequenceIds", read.sequenceIds, "none in training: one text in each sequence");
    const name = this.#objective === "regression" ? "targets" : "labels";
    const optional = this.#objective === "causal-language-model" || this.#objective === "contrastive";
    const given = optional && labels === undefined ? [] : labels;
    const answers = name === "targets" ? numbersOf(fn, name, targets) : integersOf(fn, name, given);
    this.assertLive(fn);
    const scratch = new Scratch(core, fn);
    try {
      const input = copyInput(scratch, read);
      const place = answers instanceof Int32Array ? scratch.int32(name, answers) : scratch.float32(name, answers);
      const block = { ...input, work: WORKS.indexOf(fn), labels: place, labelCount: answers.length };
      if (native.run(scratch.block(BATCH_BLOCK, block)) !== 0) throw core.failure();
    } finally {
      scratch.free();
    }
    return { loss: native.loss(), accuracy: native.accuracy() };
  }
}

export async function makeTrainer(
  core: Core<NativeTraining>,
  open: Open,
  options: TrainerOptions,
  progress: LoadProgress = {},
): Promise<Trainer> {
  const fn = "trainer";
  const { config, weights, ...others } = optionsObject(fn, "options", options);
  optionsObject(fn, "progress", progress);
  if (Array.isArray(config)) throw refusal("type", fn, "config", config, "config.json, parsed");
  const configJson = configToJson(fn, optionsObject(fn, "config", config));
  const json = optionsToJson(fn, others);
  const { native } = core;
  const check = (at: number, length: number) => native.checkTrainerOptions(at, length);
  if (core.withText(fn, "`options`", json, check) !== 0) throw core.failure();
  const make = (address: number, size: number): NativeTrainer => {
    const made = core.withText(fn, "`config`", configJson, (configAt, configSize) =>
      core.withText(fn, "`options`", json, (optionsAt, optionsSize) =>
        native.makeTrainer(configAt, configSize, optionsAt, optionsSize, weights !== undefined, address, size),
      ),
    );
    if (made !== null) return made;
    throw core.failureOfFile(fn);
  };
  const objective = others.objective ?? "masked-language-model";
  if (weights === undefined) return new ModuleTrainer(core, make(0, 0), objective);
  progress.signal?.throwIfAborted();
  const stream = await streamOf(fn, "weights", weights, open, progress.signal);
  return new ModuleTrainer(core, await receive(core, fn, "weights", stream, progress, make), objective);
}
