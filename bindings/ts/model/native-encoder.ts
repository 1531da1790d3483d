/** An encoder in the module's memory: made from its files, and what it says about itself. */
import type { Core } from "../module/core.js";
import type { NativeEncoder, NativeEncoderLoader, NativeModel } from "../module/native.js";
import { FILE_BLOCK, PRECISIONS } from "../module/numbers.js";
import { optionsFromJson } from "../module/options.js";
import type { ByteStream } from "../module/platform.js";
import type { LoadProgress } from "../module/receive.js";
import { Scratch } from "../module/scratch.js";
import type { NamedBytes } from "./files/sentence-files.js";
import { loadFrom } from "./files/stream-weights.js";
import type { Precision } from "./precision.js";
import type { RopeFacts } from "./rope-text.js";

/** The parts of an encoder besides its weights. They can be posted to a worker. */
export interface EncoderSource {
  /** Who asks, for messages. */
  fn: string;
  /** config.json. */
  json: string;
  precision: Precision;
  /** Files of sentence-transformers; none: there is no modules.json. */
  sentence: NamedBytes[];
}

/** As cpp/src/model/facts.hpp writes them. */
export interface NativeFacts {
  parameterCount: number;
  vocabulary: number;
  notes: string[];
  model: { tokenTypes: number; longest: number | null; heads: string[]; causal: boolean; ropes: RopeFacts[] };
  sentence: {
    dimensions: number;
    prompts: Record<string, string>;
    defaultPrompt: string | null;
    includePrompt: boolean;
    lowerCase: boolean;
    maxTokens: number | null;
  };
}

/** Gives the modules behind the encoder the files that they are read from. */
function makeSentence(core: Core, fn: string, native: NativeEncoder, files: readonly NamedBytes[]): void {
  const scratch = new Scratch(core, fn);
  try {
    const copy = (name: string, bytes: Uint8Array): number => {
      const address = scratch.allocate(name, bytes.length);
      core.bytes(address, bytes.length).set(bytes);
      return address;
    };
    const blocks = files.map(({ name, bytes }) => {
      const text = new TextEncoder().encode(name);
      return { name: copy(name, text), nameSize: text.length, bytes: copy(name, bytes), size: bytes.length };
    });
    if (native.makeSentence(scratch.block(FILE_BLOCK, ...blocks), files.length) !== 0) throw core.failureOfFile(fn);
  } finally {
    scratch.free();
  }
}

/** For so many files of weights. */
export function makeEncoderLoader(
  core: Core<NativeModel>,
  { fn, json, precision }: Pick<EncoderSource, "fn" | "json" | "precision">,
  files: number,
): NativeEncoderLoader {
  const loader = core.withText(fn, "`config`", json, (address, size) =>
    core.native.makeEncoderLoader(address, size, files, PRECISIONS.indexOf(precision)),
  );
  if (loader === null) throw core.failureOfFile(fn);
  return loader;
}

/** Streams the weights into the module and makes the encoder of them. */
export async function openNativeEncoder(
  core: Core<NativeModel>,
  source: EncoderSource,
  weights: readonly ByteStream[],
  progress: LoadProgress,
): Promise<NativeEncoder> {
  const native = await loadFrom(source.fn, core, makeEncoderLoader(core, source, weights.length), weights, progress);
  try {
    makeSentence(core, source.fn, native, source.sentence);
    return native;
  } catch (error) {
    native.delete();
    throw error;
  }
}

const lines = (text: string): string[] => text.split("\n").filter(Boolean);

export function factsOf(core: Core, native: NativeEncoder, hasModules: boolean): NativeFacts {
  native.facts();
  const model = optionsFromJson<NativeFacts["model"]>(core.text());
  native.sentenceFacts();
  const json = core.text();
  const sentence = optionsFromJson<NativeFacts["sentence"]>(json);
  // Names of prompts are not ours to spell.
  const { prompts } = JSON.parse(json) as NativeFacts["sentence"];
  native.notes();
  const notes = lines(core.text());
  native.sentenceNotes();
  const more = lines(core.text());
  // These notes say that vectors are assumed to be means, which matters only to a model without heads.
  if (hasModules || model.heads.length === 0) notes.push(...more);
  return {
    parameterCount: native.parameterCount(),
    vocabulary: native.vocabulary(),
    notes,
    model,
    sentence: { ...sentence, prompts },
  };
}
