/** Options of `embed`, read and checked. */
import { onlyOutputs, type Pooling, type ReadOutputs, readPooling } from "../encoder-output.js";
import { knownOptions } from "../options.js";
import { refuse } from "../refuse.js";

export interface CancelOptions {
  /** Aborting rejects with the signal's reason; the model stays usable. */
  signal?: AbortSignal | undefined;
}

export interface TruncationOptions {
  /** Called for each text or pair that is longer than `maxTokens`, with its index in the list and its tokens. */
  onTruncation?: ((index: number, tokens: number) => void) | undefined;
}

export interface EmbedOptions extends CancelOptions, TruncationOptions {
  /** Name of a prompt in `prompts`, or a prefix. Default: the model's default prompt. */
  prompt?: { name: string } | { text: string } | undefined;
  /** Keeps the first entries only, like truncate_dim. They are normalised again only where `normalize` is true. */
  dimensions?: number | undefined;
  /** Default: as modules.json says; true without modules.json. */
  normalize?: boolean | undefined;
  /** Default: as 1_Pooling/config.json says; "mean" without it. */
  pooling?: Pooling | undefined;
  /** Called after each batch with the number of texts that are done, and of all. */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

export interface EmbedEachOptions extends Omit<EmbedOptions, "onProgress"> {
  /** Called after each batch with the number of vectors so far. */
  onProgress?: ((done: number) => void) | undefined;
}

/** Prompts of a model, and whether it is one that sentence-transformers saved. */
export interface EmbedFacts {
  dimensions: number;
  prompts: Readonly<Record<string, string>>;
  defaultPrompt?: string;
  /** True if pooling counts the tokens of the prompt. */
  includePrompt: boolean;
  /** True if there is a modules.json, which says whether vectors are normalised. */
  hasModules: boolean;
}

export interface ReadEmbedOptions {
  prompt: string;
  outputs: ReadOutputs;
  signal: AbortSignal | undefined;
  onProgress: ((done: number, total: number) => void) | undefined;
  onTruncation: TruncationOptions["onTruncation"];
}

/** The prefix of each text. */
function promptOf(fn: string, prompt: EmbedOptions["prompt"], { prompts, defaultPrompt }: EmbedFacts): string {
  if (prompt === undefined) return defaultPrompt === undefined ? "" : prompts[defaultPrompt]!;
  const { name, text } = (prompt ?? {}) as { name?: unknown; text?: unknown };
  if ((name === undefined) === (text === undefined)) throw refuse.type(fn, "prompt", prompt, "{ name } or { text }");
  if (text !== undefined) {
    if (typeof text === "string") return text;
    throw refuse.type(fn, "prompt.text", text, "a text");
  }
  if (typeof name === "string" && Object.hasOwn(prompts, name)) return prompts[name]!;
  const names = Object.keys(prompts).map((each) => JSON.stringify(each));
  const allowed = names.length === 0 ? "{ text }, since this model names no prompts" : names.join(", ");
  throw refuse.range(fn, "prompt.name", name, allowed);
}

const NAMES = ["prompt", "dimensions", "normalize", "pooling", "onProgress", "onTruncation", "signal"];

export function readEmbedOptions(fn: string, options: EmbedOptions, facts: EmbedFacts): ReadEmbedOptions {
  const { prompt, dimensions, normalize, pooling, onProgress, onTruncation, signal } = knownOptions(fn, options, NAMES);
  if (dimensions !== undefined && !(Number.isInteger(dimensions) && dimensions >= 1 && dimensions <= facts.dimensions))
    throw refuse.range(fn, "dimensions", dimensions, `a whole number from 1 to ${facts.dimensions}`);
  if (normalize !== undefined && typeof normalize !== "boolean")
    throw refuse.type(fn, "normalize", normalize, "true or false");
  // Without modules.json vectors have unit length unless the caller says otherwise, also after a cut.
  const unit = normalize ?? (facts.hasModules ? undefined : true);
  const vector = { dimensions: dimensions ?? 0, ...(unit !== undefined && { normalize: unit }) };
  return {
    prompt: promptOf(fn, prompt, facts),
    outputs: onlyOutputs({ pooled: true, ...readPooling(fn, pooling), vector }),
    signal,
    onProgress,
    onTruncation,
  };
}
