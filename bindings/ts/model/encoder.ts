/**
 * Encoders of every family that `families()` lists, equal to Hugging Face's classes for masked language models,
 * classification of sequences and tokens, question answering and multiple choice.
 *
 * Shapes: B batch, T tokens, C hidden size, H heads, K key heads, D head dimension, L layers, V vocabulary, row-major
 * float32.
 */
import type { Core } from "../module/core.js";
import { optionsObject } from "../module/errors.js";
import type { NativeEncoder, NativeModel } from "../module/native.js";
import type { LoadProgress } from "../module/receive.js";
import { runForward } from "./encoder-forward.js";
import { type RoFormerInput, readInput } from "./encoder-input.js";
import { type EncoderOutput, type EncoderOutputs, readOutputs } from "./encoder-output.js";
import { factsOf, openNativeEncoder } from "./native-encoder.js";
import { type EncoderParts, encoderFacts } from "./read-encoder.js";
import type { Encoder } from "./text/encoder-base.js";
import { Pace } from "./text/pace.js";
import { type EncoderFacts, inGroups, type Passes, TextModel } from "./text/text-model.js";
import type { Tokenizer } from "./text/tokenizer.js";

/** A group of texts takes about this long, so that the event loop runs often enough between groups. */
const GROUP_MS = 25;
const MOST_IN_GROUP = 32;

class ModuleEncoder extends TextModel implements Encoder {
  readonly #core: Core;
  readonly #native: NativeEncoder;
  /** Speed of the last pass; 0 before the first. */
  #tokensPerMs = 0;

  constructor(core: Core, native: NativeEncoder, facts: EncoderFacts, tokenizer: Tokenizer | undefined) {
    super(core.owner, facts, tokenizer, () => native.delete());
    this.#core = core;
    this.#native = native;
  }

  forward(input: RoFormerInput, outputs: EncoderOutputs = {}): EncoderOutput {
    const fn = "forward";
    this.assertLive(fn);
    const read = readInput(fn, optionsObject(fn, "input", input));
    return runForward(this.#core, this, this.#native, read, readOutputs(fn, outputs));
  }

  protected async run({ texts, outputs, signal, use }: Passes): Promise<void> {
    const pace = new Pace();
    const most = (length: number) =>
      Math.min(MOST_IN_GROUP, Math.max(1, Math.floor((this.#tokensPerMs * GROUP_MS) / length)));
    await inGroups(texts, most, async (input, group) => {
      await pace.breathe(signal);
      const begun = performance.now();
      use(runForward(this.#core, this, this.#native, input, outputs), group);
      this.#tokensPerMs = input.inputIds.length / Math.max(0.01, performance.now() - begun);
    });
  }
}

export async function openEncoder(
  core: Core<NativeModel>,
  parts: EncoderParts,
  progress: LoadProgress,
): Promise<Encoder> {
  const { makings, tokenizer } = parts;
  progress.signal?.throwIfAborted();
  const native = await openNativeEncoder(core, makings, await parts.weights(), progress);
  try {
    const facts = encoderFacts(parts, factsOf(core, native, makings.sentence.length > 0));
    return new ModuleEncoder(core, native, facts, tokenizer);
  } catch (error) {
    native.delete();
    throw error;
  }
}
