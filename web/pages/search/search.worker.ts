/// <reference lib="webworker" />
import { type Encoder, hubFiles, load, type ModelFiles } from "ropewalk";
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

const shippedFiles = (folder: string): ModelFiles =>
  Object.fromEntries(
    ["config.json", "model.safetensors", "tokenizer.json", "modules.json", "1_Pooling/config.json"].map((name) => [
      name,
      folder + name,
    ]),
  );

/** The same, on their way while the library loads. */
function requestedFiles(folder: string, signal: AbortSignal): ModelFiles {
  const addresses = shippedFiles(folder) as Readonly<Record<string, string>>;
  const requested = new Map(Object.entries(addresses).map(([name, address]) => [name, fetch(address, { signal })]));
  // The reader of a file hears of its failure; one that nobody reads may fail unheard.
  for (const each of requested.values()) each.catch(() => {});
  return (name) => requested.get(name);
}

/** The names that files have within their model. */
const byName = (files: readonly File[]) =>
  new Map(files.map((file) => [file.webkitRelativePath.split("/").slice(1).join("/") || file.name, file]));

/** The same files with another config.json. */
function withConfig(from: SearchCalls["open"]["args"], config: object): ModelFiles {
  if ("shipped" in from) return { ...(shippedFiles(from.shipped) as Record<string, string>), "config.json": config };
  if ("files" in from) return new Map<string, File | object>([...byName(from.files), ["config.json", config]]);
  const hub = hubFiles(from.repository, { cache: true });
  return (name) => (name === "config.json" ? config : (hub as (name: string) => undefined)(name));
}

async function open(from: SearchCalls["open"]["args"], { signal, progress }: CallContext): Promise<Reply<SearchModel>> {
  const files =
    "shipped" in from
      ? requestedFiles(from.shipped, signal)
      : "files" in from
        ? byName(from.files)
        : hubFiles(from.repository, { cache: true });
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
  const shipped = "shipped" in from;
  const result = factsOf(opened, shipped ? shippedName : "files" in from ? "Your encoder" : from.repository, shipped);
  const unrotated = withConfig(from, { ...opened.config, position_encoding: "none" });
  openPlain = result.rotates ? () => ropewalk.encoder(unrotated) : undefined;
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
