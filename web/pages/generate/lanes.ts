import type { Decoder, KeyCache } from "ropewalk";
import type { Comparison, Lane, Token } from "./calls.js";
import { type Held, type Sampling, seedOf, textOf, type Work } from "./held.js";
import type { How, Operation } from "./log.js";
import { divergence, largest, largestChange, probabilities } from "./numbers.js";
import { ropeFacts, ropeParameters } from "./rules.js";

/** Tokens that each lane writes to show where it leads. */
const CONTINUED = 20;

type Made = Pick<Held, "cache" | "tokens" | "logits" | "rope">;

/** A way to the cache behind an operation. */
export interface Way {
  readonly how: How;
  make(): Promise<Made>;
}

const moved = (tokens: readonly Token[], model: Decoder, ids: readonly number[]): Token[] => [
  ...tokens,
  ...ids.map(
    (id, i): Token => ({ id, text: textOf(model, id), origin: "appended", first: tokens.length + i, end: false }),
  ),
];

/** A copy on which something is done; it goes where that fails. */
function onCopy(held: Held, change: (cache: KeyCache) => Omit<Made, "cache">): Made {
  const cache = held.cache.fork();
  try {
    return { cache, ...change(cache) };
  } catch (error) {
    cache.dispose();
    throw error;
  }
}

/** All tokens in a new cache: what no operation can change. */
async function fresh(work: Work, tokens: readonly Token[], rope: object | undefined): Promise<Made> {
  const cache = work.model.cache();
  try {
    if (rope) cache.rescale(rope);
    const logits = await cache.prefill(
      tokens.map(({ id }) => id),
      { signal: work.signal },
    );
    return { cache, tokens: tokens.map((token, first) => ({ ...token, first })), logits, rope };
  } catch (error) {
    cache.dispose();
    throw error;
  }
}

function dropWays(work: Work, held: Held, { from, to }: Extract<Operation, { op: "drop" }>): Way[] {
  const { tokens, rope } = held;
  const last = tokens.length - 1;
  if (to > last)
    throw new Error(`The cut ends at token ${to}; allowed: up to ${last}, since the last token predicts the next one.`);
  const left = [...tokens.slice(0, from), ...tokens.slice(to)];
  const drop = (rotate: boolean) => async () =>
    onCopy(held, (cache) => {
      // The last token is fed anew, so that its prediction is that of the cache as it is then.
      cache.trim(last);
      cache.drop(from, to, { rotate });
      const logits = cache.feed([tokens[last]!.id]);
      const end = { ...left.at(-1)!, first: left.length - 1 };
      return { tokens: [...left.slice(0, -1), end], logits, rope };
    });
  return [
    { how: "kept", make: drop(true) },
    { how: "unrotated", make: drop(false) },
    { how: "afresh", make: () => fresh(work, left, rope) },
  ];
}

function appendWays(work: Work, held: Held, { text }: Extract<Operation, { op: "append" }>): Way[] {
  const { model } = work;
  const ids = model.encode(text, { addSpecialTokens: false });
  if (ids.length === 0) throw new Error("The chunk has no tokens.");
  const tokens = moved(held.tokens, model, ids);
  if (tokens.length > model.context)
    throw new Error(`Text and chunk have ${tokens.length} tokens; allowed: up to ${model.context}.`);
  return [
    {
      how: "kept",
      make: async () =>
        onCopy(held, (cache) => {
          // Its last token is fed, so that there is a prediction.
          if (ids.length > 1) {
            using chunk = model.chunk(ids.slice(0, -1));
            cache.append(chunk);
          }
          const logits = cache.feed(ids.slice(-1));
          const first = (token: Token, i: number) =>
            i < held.tokens.length || i === tokens.length - 1 ? token : { ...token, first: i - held.tokens.length };
          return { tokens: tokens.map(first), logits, rope: held.rope };
        }),
    },
    { how: "afresh", make: () => fresh(work, tokens, held.rope) },
  ];
}

function rescaleWays(work: Work, held: Held, { rule, factor }: Extract<Operation, { op: "rescale" }>): Way[] {
  const rope = ropeParameters(rule, factor, ropeFacts(work.model.config));
  const { tokens } = held;
  return [
    {
      how: "kept",
      make: async () =>
        onCopy(held, (cache) => {
          cache.trim(tokens.length - 1);
          cache.rescale(rope);
          return { tokens, logits: cache.feed([tokens.at(-1)!.id]), rope };
        }),
    },
    { how: "afresh", make: () => fresh(work, tokens, rope) },
  ];
}

export function lanesOf(work: Work, held: Held, entry: Operation): Way[] {
  if (entry.op === "drop") return dropWays(work, held, entry);
  if (entry.op === "append") return appendWays(work, held, entry);
  return rescaleWays(work, held, entry);
}

/** The text that continues a lane. */
async function continued(work: Work, { cache }: Made, { temperature, seed }: Sampling): Promise<string> {
  const { model, signal } = work;
  using copy = cache.fork();
  const maxTokens = Math.min(CONTINUED, model.context - copy.length + 1);
  const generation = model.generate([], {
    cache: copy,
    maxTokens,
    temperature,
    seed: seedOf(seed, copy.length),
    signal,
  });
  const text = await generation.text();
  return generation.finishReason === "eos" ? text : `${text} …`;
}

const WORDS = 6;

/** Every way of an operation: the next token, the keys of each layer, and where it leads. */
export async function compared(work: Work, held: Held, operation: Operation, sampling: Sampling): Promise<Comparison> {
  const { model } = work;
  const layers = Math.max(...model.ropes.flatMap((rope) => rope.layers)) + 1;
  const made: { how: How; made: Made; milliseconds: number }[] = [];
  try {
    for (const { how, make } of lanesOf(work, held, operation)) {
      await work.breathe();
      const begun = performance.now();
      const found = how === "unrotated" ? await make().catch(() => undefined) : await make();
      // Raw keys have no rotation that they could keep.
      if (!found) continue;
      made.push({ how, made: found, milliseconds: performance.now() - begun });
    }
    const chances = made.map((lane) => probabilities(lane.made.logits));
    const before = probabilities(held.logits);
    const reference = made.at(-1)!.made.cache;
    // The likeliest of a fresh pass, and what another lane takes for likelier than all of them.
    const ids = [...new Set([...largest(chances.at(-1)!, WORDS), ...chances.flatMap((each) => largest(each, 2))])];
    const lanes: Lane[] = [];
    for (const [i, lane] of made.entries()) {
      const keys: number[] = [];
      for (let layer = 0; layer < layers; layer++) {
        const [own, theirs] = [lane.made.cache.keys(layer), reference.keys(layer)];
        keys.push(largestChange(own, theirs, own.length / lane.made.tokens.length));
      }
      lanes.push({
        how: lane.how,
        probabilities: ids.map((id) => chances[i]![id]!),
        divergence: divergence(chances.at(-1)!, chances[i]!),
        milliseconds: lane.milliseconds,
        keys,
        continuation: await continued(work, lane.made, sampling),
      });
    }
    return {
      operation,
      words: ids.map((id) => ({ id, text: textOf(model, id) })),
      before: ids.map((id) => before[id]!),
      lanes,
    };
  } finally {
    for (const lane of made) lane.made.cache.dispose();
  }
}
