/// <reference lib="webworker" />
import { type Encoder, load } from "ropewalk";
import { filesOf, withConfig } from "../../model/files.js";
import type { Source } from "../../model/source.js";
import { type CallContext, type Reply, serve } from "../../worker/rpc.js";
import type { Pair, Scores, SearchCalls, SearchModel } from "./calls.js";
import { cosine, dot, unit } from "./cosine.js";
import { factsOf, shippedName } from "./facts.js";

/** An encoder, and the vectors of the texts that it has embedded. */
interface Reader {
  readonly encoder: Encoder;
  readonly vectors: Map<string, Float32Array>;
}
/** Texts embedded between two reports; a search that is cancelled keeps what it has. */
const AT_A_TIME = 32;

let rotated: Reader | undefined;
let plain: Reader | undefined;
/** Opens the same model without rotation, when that is asked for. */
let openPlain: (() => Promise<Encoder>) | undefined;

const readerOf = (encoder: Encoder): Reader => ({ encoder, vectors: new Map() });

const shippedFiles = ["config.json", "model.safetensors", "tokenizer.json", "modules.json", "1_Pooling/config.json"];

async function open(from: Source, { signal, progress }: CallContext): Promise<Reply<SearchModel>> {
  const files = filesOf(from, shippedFiles, signal);
  const ropewalk = await load();
  const opened = await ropewalk.encoder(files, { signal, onProgress: progress });
  try {
    await opened.embed("a");
  } catch (error) {
    opened.dispose();
    throw error;
  }
  rotated?.encoder.dispose();
  plain?.encoder.dispose();
  rotated = readerOf(opened);
  plain = undefined;
  const result = factsOf(opened, shippedName, "shipped" in from);
  const unrotated = { ...opened.config, position_encoding: "none" };
  openPlain = result.rotates ? () => ropewalk.encoder(withConfig(from, shippedFiles, unrotated)) : undefined;
  return { result };
}

async function readerFor(rotation: boolean): Promise<Reader> {
  if (!rotation && openPlain) {
    plain ??= readerOf(await openPlain());
    return plain;
  }
  if (!rotated) throw new Error("No model is loaded.");
  return rotated;
}

const isUnknown = (token: string) => /^(\[UNK\]|<unk>)$/.test(token);

function unknownIn(encoder: Encoder, query: string): string[] {
  const words = new Set(query.split(/[\s.,;:!?"()]+/).filter(Boolean));
  return [...words].filter((word) => encoder.encode(word).tokens.some(isUnknown));
}

async function search(
  { query, texts, rotation }: SearchCalls["search"]["args"],
  { signal, progress }: CallContext,
): Promise<Reply<Scores>> {
  const { encoder, vectors } = await readerFor(rotation);
  const wanted = new Set(texts);
  for (const text of vectors.keys()) if (!wanted.has(text)) vectors.delete(text);
  const missing = [...wanted].filter((text) => !vectors.has(text));
  for (let done = 0; done < missing.length; done += AT_A_TIME) {
    progress(done, missing.length);
    const some = missing.slice(done, done + AT_A_TIME);
    const made = await encoder.embed(some, { signal });
    for (const [i, vector] of made.entries()) vectors.set(some[i]!, vector);
    // A message that cancels is read between two tasks.
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
  }
  const asked = await encoder.embed(query, { signal });
  const cosines = Float32Array.from(texts, (text) => cosine(asked, vectors.get(text)!));
  const unknownTexts = texts.filter((text) => encoder.encode(text).tokens.some(isUnknown)).length;
  return { result: { cosines, unknown: unknownIn(encoder, query), unknownTexts }, transfer: [cosines.buffer] };
}

/** Tokens of a text, their last hidden states, and the sentence vector. */
function statesOf(encoder: Encoder, text: string) {
  const { inputIds, tokens } = encoder.encode(text);
  const { lastHiddenState, sentenceEmbedding } = encoder.forward(
    { inputIds, sequence: inputIds.length },
    { logits: false, pooled: true },
  );
  const width = lastHiddenState.length / tokens.length;
  const states = tokens.map((_, t) => lastHiddenState.subarray(t * width, (t + 1) * width));
  return { tokens, states, vector: sentenceEmbedding! };
}

/** With a mean over the tokens, cos(q, mean of h_t) is the sum over t of q . h_t / (T |mean|), q at length 1. */
function sharesOf(query: Float32Array, { states, vector }: ReturnType<typeof statesOf>): Float32Array | undefined {
  const mean = new Float32Array(states[0]!.length);
  for (const state of states) for (let i = 0; i < mean.length; i++) mean[i]! += state[i]! / states.length;
  if (vector.length !== mean.length || cosine(vector, mean) < 0.99999) return undefined;
  const [asked, length] = [unit(query), Math.sqrt(dot(mean, mean))];
  return Float32Array.from(states, (state) => dot(asked, state) / (states.length * length));
}

async function compare({ query, text, rotation }: SearchCalls["compare"]["args"]): Promise<Reply<Pair>> {
  const { encoder } = await readerFor(rotation);
  const [asked, told] = [statesOf(encoder, query), statesOf(encoder, text)];
  const units = told.states.map(unit);
  const similarities = Float32Array.from(
    asked.states.flatMap((state) => {
      const own = unit(state);
      return units.map((other) => dot(own, other));
    }),
  );
  return {
    result: {
      queryTokens: asked.tokens,
      textTokens: told.tokens,
      similarities,
      shares: sharesOf(asked.vector, told),
      cosine: cosine(asked.vector, told.vector),
    },
  };
}

serve<SearchCalls>(self as unknown as DedicatedWorkerGlobalScope, { open, search, compare });
