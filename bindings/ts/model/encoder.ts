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
import { type EncoderInput, readInput } from "./encoder-input.js";
import { type EncoderOutput, type EncoderOutputs, readOutputs } from "./encoder-output.js";
import type { EncoderFacts, Passes } from "./heads/host.js";
import { factsOf, openNativeEncoder } from "./native-encoder.js";
import { type EncoderParts, encoderFacts } from "./read-encoder.js";
import { StaticEncoder } from "./static-encoder.js";
import type { Encoder } from "./text/encoder-base.js";
import { Pace } from "./text/pace.js";
import { inGroups, TextModel } from "./text/text-model.js";
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

  forward(input: EncoderInput, outputs: EncoderOutputs = {}): EncoderOutput {
    const fn = "forward";
    this.assertLive(fn);
    const read = readInput(fn, optionsObject(fn, "input", input));
    const all = readOutputs(fn, outputs);
    return this.completed(runForward(this.#core, this, this.#native, read, this.needed(fn, all)), read, all);
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
  const { source, tokenizer } = parts;
  progress.signal?.throwIfAborted();
  if (parts.readStatic) return new StaticEncoder(core.owner, await parts.readStatic(progress), tokenizer);
  const native = await openNativeEncoder(core, source, await parts.weights(), progress);
  try {
    const facts = encoderFacts(parts, factsOf(core, native, source.sentence.length > 0));
    return new ModuleEncoder(core, native, facts, tokenizer);
  } catch (error) {
    native.delete();
    throw error;
  }
}
