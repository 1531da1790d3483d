/** Generating text, a token at a time. */
import type { Core } from "../../module/core.js";
import { failure } from "../../module/errors.js";
import type { NativeDecoding } from "../../module/native.js";
import type { Form, Matcher } from "../grammar/grammar.js";
import { flag, knownOptions } from "../options.js";
import { refuse } from "../refuse.js";
import { Pace } from "../text/pace.js";
import type { Tokenizer } from "../text/tokenizer.js";
import { place, promptIds } from "./arguments.js";
import { ModuleKeyCache } from "./key-cache.js";
import { Lookup } from "./lookup.js";
import { readSampling, type SamplingBlock } from "./sampling.js";
import { settle, Written } from "./settle.js";
import type { FinishReason, GeneratedToken, GenerateOptions, Generation, Usage } from "./surface.js";
import { TextStream } from "./text-stream.js";

/** The model that generates, and what was called. */
export interface Source {
  /** For messages. */
  fn: string;
  /** Names of the options that it takes. */
  options: readonly string[];
  core: Core<NativeDecoding>;
  context: number;
  tokenizer: Tokenizer | undefined;
  eos: ReadonlySet<number>;
  /** A new cache. */
  cache(): ModuleKeyCache;
  /** @throws Error without a tokenizer. */
  encode(fn: string, text: string, special: boolean): number[];
  /** Throws once the model has been disposed of. */
  check(fn: string): void;
  owns(cache: ModuleKeyCache): boolean;
  /** For one text that ends with one of these ids. */
  matcher(fn: string, form: Form, eos: ReadonlySet<number>): Promise<Matcher>;
}

interface Plan {
  sampling: SamplingBlock;
  maxTokens: number;
  stop: readonly string[];
  cache: ModuleKeyCache | undefined;
  special: boolean | undefined;
  signal: AbortSignal | undefined;
  guesses: boolean;
  form: Form | undefined;
}

/** Tokens to be computed, behind the first `kept` of those that the cache holds. */
export interface Prompt {
  ids: readonly number[];
  kept: number;
}

/** Makes the prompt once the generation begins. */
export type Prepare = (held: Int32Array, options: { addSpecialTokens: boolean | undefined }) => Prompt;

export interface Start {
  source: Source;
  prepare: Prepare;
  options: GenerateOptions;
}

export const OPTIONS = [
  ...["temperature", "topK", "topP", "minP", "repetitionPenalty", "repetitionWindow", "seed"],
  ...["maxTokens", "stop", "cache", "addSpecialTokens", "signal", "guesses", "schema", "regex"],
];

function stopsOf(fn: string, stop: unknown): readonly string[] {
  if (!Array.isArray(stop)) throw refuse.type(fn, "stop", stop, "an array of texts");
  for (const [i, each] of stop.entries()) {
    if (typeof each !== "string") throw refuse.type(fn, `stop[${i}]`, each, "a text");
    if (each === "") throw refuse.range(fn, `stop[${i}]`, each, "a text that is not empty");
  }
  return [...(stop as string[])];
}

function readPlan(source: Source, options: GenerateOptions): Plan {
  const { fn } = source;
  const given: GenerateOptions = knownOptions(fn, options, source.options);
  const { maxTokens, stop = [], cache, addSpecialTokens, signal, guesses = true, schema, regex } = given;
  if (schema !== undefined && regex !== undefined)
    throw refuse.range(fn, "regex", regex, "`schema` or `regex`, not both");
  if (cache !== undefined && !(cache instanceof ModuleKeyCache && source.owns(cache)))
    throw refuse.type(fn, "cache", cache, "a KeyCache of this model");
  const stops = stopsOf(fn, stop);
  if (stops.length > 0 && source.tokenizer === undefined)
    throw refuse.lacking(fn, "`stop` needs a tokenizer, and this model has none");
  return {
    sampling: readSampling(fn, source.core, given),
    maxTokens: maxTokens === undefined ? Number.POSITIVE_INFINITY : place(fn, "maxTokens", maxTokens),
    stop: stops,
    cache,
    special: addSpecialTokens === undefined ? undefined : flag(fn, "addSpecialTokens", addSpecialTokens),
    signal: signal ?? undefined,
    guesses: flag(fn, "guesses", guesses),
    form: schema === undefined && regex === undefined ? undefined : { schema, regex },
  };
}

class ModuleGeneration implements Generation {
  readonly #tokens: AsyncGenerator<GeneratedToken, undefined, undefined>;
  #reason: FinishReason | undefined;
  #text = "";
  #usage: Usage = { promptTokens: 0, cachedTokens: 0, completionTokens: 0 };

  constructor(begin: () => Start) {
    this.#tokens = this.#run(begin);
  }

  get finishReason(): FinishReason | undefined {
    return this.#reason;
  }

  get usage(): Usage {
    return this.#usage;
  }

  async next(): Promise<IteratorResult<GeneratedToken, undefined>> {
    const result = await this.#tokens.next();
    this.#text += result.value?.text ?? "";
    return result;
  }

  return(): Promise<IteratorResult<GeneratedToken, undefined>> {
    return this.#tokens.return(undefined);
  }

  throw(error?: unknown): Promise<IteratorResult<GeneratedToken, undefined>> {
    return this.#tokens.throw(error);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async text(): Promise<string> {
    for (let isDone = false; !isDone; ) isDone = (await this.next()).done === true;
    return this.#text;
  }

  async *#run(begin: () => Start): AsyncGenerator<GeneratedToken, undefined, undefined> {
    const { source, prepare, options } = begin();
    const { fn } = source;
    // Options first: reading them can run a caller's code, which may dispose of the model.
    const plan = readPlan(source, options);
    source.check(fn);
    plan.signal?.throwIfAborted();
    const cache = plan.cache ?? source.cache();
    const release = cache.use(fn);
    let matcher: Matcher | undefined;
    try {
      matcher = plan.form && (await source.matcher(fn, plan.form, source.eos));
      const { ids, kept } = prepare(cache.tokens(), { addSpecialTokens: plan.special });
      checkFits(fn, ids.length, kept, source.context);
      // An empty prompt continues where the cache ends.
      const fills = ids.length > 0 || cache.length === 0;
      const cachedTokens = fills ? await cache.fill(fn, ids, { signal: plan.signal }, kept) : kept;
      this.#usage = { promptTokens: kept + ids.length, cachedTokens, completionTokens: 0 };
      const stream = new TextStream(source.tokenizer, cache.tokens(), plan.stop, matcher !== undefined);
      yield* this.#write(source, cache, plan, stream, matcher);
    } finally {
      matcher?.dispose();
      release();
      if (plan.cache === undefined) cache.dispose();
    }
    return undefined;
  }

  async *#write(
    source: Source,
    cache: ModuleKeyCache,
    plan: Plan,
    stream: TextStream,
    matcher: Matcher | undefined,
  ): AsyncGenerator<GeneratedToken, undefined, undefined> {
    const written = new Written();
    const base = cache.length;
    let shown = 0;
    try {
      for await (const token of this.#sampled(source, cache, plan, stream, written, matcher)) {
        shown += token.text.length;
        this.#usage = { ...this.#usage, completionTokens: this.#usage.completionTokens + 1 };
        yield token;
      }
    } finally {
      // A cache of the generation's own is about to go.
      if (plan.cache !== undefined && cache.isLive)
        settle(source.fn, cache, source.tokenizer, source.context, base, written, shown);
    }
  }

  async *#sampled(
    { fn, context, eos }: Source,
    cache: ModuleKeyCache,
    { sampling, maxTokens, signal, guesses }: Plan,
    stream: TextStream,
    written: Written,
    matcher: Matcher | undefined,
  ): AsyncGenerator<GeneratedToken, undefined, undefined> {
    const pace = new Pace();
    const end = (reason: FinishReason): undefined => {
      this.#reason = reason;
    };
    if (maxTokens === 0) return end("length");
    // With a grammar each token decides which may follow.
    const lookup = guesses && matcher === undefined ? new Lookup(cache.tokens()) : undefined;
    const sample = (drawn: number) =>
      matcher === undefined
        ? cache.sample(fn, sampling, drawn)
        : cache.sampleAllowed(fn, matcher.allowed(), sampling, drawn);
    /** Drawn already. Of these and the token that is given all but the last are in the cache. */
    let ahead = sample(0);
    try {
      for (let count = 1; ; count++) {
        const token = ahead.shift()!;
        if (eos.has(token.id)) {
          end("eos");
          yield { ...token, text: stream.end() };
          return undefined;
        }
        const text = stream.push(token.id);
        written.push(token.id, stream.completed);
        if (stream.stopped) end("stop");
        else if (count >= maxTokens) end("length");
        else if (cache.length - ahead.length >= context) end("context");
        if (this.#reason !== undefined) {
          yield { ...token, text: text + stream.end() };
          return undefined;
        }
        yield { ...token, text };
        await pace.breathe(signal);
        lookup?.push(token.id);
        if (ahead.length > 0) continue;
        if (matcher !== undefined) {
          matcher.accept(token.id);
          cache.feedOne(fn, token.id);
          ahead = sample(count);
          continue;
        }
        const most = Math.min(maxTokens - count, context - cache.length) - 1;
        const guessed = lookup?.guess(most) ?? [];
        ahead = cache.feedGuesses(fn, [token.id, ...guessed], sampling, count);
        lookup?.learn(guessed.length, ahead.length - 1);
      }
    } finally {
      if (ahead.length > 0 && cache.isLive) cache.forget(fn, ahead.length);
    }
  }
}

function checkFits(fn: string, tokens: number, kept: number, context: number): void {
  if (tokens + kept === 0) throw refuse.range(fn, "prompt.length", 0, "at least one token");
  if (tokens + kept <= context) return;
  const what = `the prompt is ${tokens} tokens${kept > 0 ? `, and the cache holds ${kept} before it` : ""}`;
  const allowed = `at most \`context\` = ${context} in all`;
  throw failure("range", fn, `${what}; allowed: ${allowed}`, { argument: "prompt", value: tokens + kept, allowed });
}

/** The text or the ids, behind all that the cache holds. */
const whole =
  ({ fn, encode }: Source, prompt: string | ArrayLike<number>): Prepare =>
  (held, { addSpecialTokens = held.length === 0 }) => ({
    ids: typeof prompt === "string" ? encode(fn, prompt, addSpecialTokens) : promptIds(fn, prompt),
    kept: held.length,
  });

export const generate = (
  source: Source,
  prompt: string | ArrayLike<number>,
  options: GenerateOptions = {},
): Generation => generateFrom(() => ({ source, prepare: whole(source, prompt), options }));

/** `begin` is called with the first `next()`, so that its errors come there. */
export const generateFrom = (begin: () => Start): Generation => new ModuleGeneration(begin);
