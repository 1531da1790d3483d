import type { Encoder } from "ropewalk";
import { guessesOf } from "./guesses.js";
import type { Fill, ModelRun } from "./model-calls.js";
import { unrotated } from "./unrotated.js";

export function numberIn(config: Readonly<Record<string, unknown>>, key: string): number {
  const value = config[key];
  return typeof value === "number" ? value : 0;
}

/** The ids that stand in the text, where there is no tokenizer. */
function idsOf(text: string): { inputIds: Int32Array; tokens: string[] } {
  const tokens = text.split(/[\s,]+/).filter(Boolean);
  const wrong = tokens.find((token) => !/^\d{1,9}$/.test(token));
  if (wrong !== undefined)
    throw new Error(
      `Without a tokenizer this model takes token ids, such as “2 15 7”; “${wrong.slice(0, 24)}” is none.`,
    );
  return { inputIds: Int32Array.from(tokens, Number), tokens };
}

/** More words than these are not looked up one by one. */
const mostWords = 200;

/** The words that the tokenizer turns into [UNK], wholly or in part. */
function unknownIn(text: string, encoder: Encoder): string[] {
  const words = [...new Set(text.match(/\[\w+\]|[^\s[\].,;:!?]+/g) ?? [])].slice(0, mostWords);
  return words.filter((word) => word !== "[UNK]" && encoder.encode(word).tokens.includes("[UNK]"));
}

/** Runs a model on a text. `vocabulary` has its words by their ids; without one the text is a list of ids. */
export async function runOf(
  model: Encoder,
  vocabulary: readonly string[] | undefined,
  text: string,
  topK: number,
): Promise<ModelRun> {
  const started = performance.now();
  const { tokens, ...given } = vocabulary ? model.encode(text) : idsOf(text);
  const encoded = performance.now();
  const { inputIds } = given;
  const input = { ...given, sequence: tokens.length };
  const wants = { attentions: true, scores: true, rotatedQK: true };
  const { attentions = [], scores = [], rotatedQueries = [], rotatedKeys = [], logits } = model.forward(input, wants);
  const computed = performance.now();
  const masks = vocabulary ? tokens.flatMap((token, index) => (token === "[MASK]" ? [index] : [])) : [];
  const fills: Fill[][] = masks.length
    ? (await model.fillMask(text, { topK })).map((list) =>
        list.map(({ tokenStr, score }) => ({ token: tokenStr, probability: score })),
      )
    : [];
  const filled = performance.now();
  const heads = numberIn(model.config, "num_attention_heads");
  const rotated = { queries: rotatedQueries, keys: rotatedKeys };
  const { plain, thetas } = await unrotated(rotated, model.config, inputIds.length, heads);
  const guesses = logits ? guessesOf(logits, tokens.length, vocabulary ?? [], topK) : [];
  return {
    text,
    ids: Int32Array.from(inputIds),
    unknown: tokens.includes("[UNK]") ? unknownIn(text, model) : [],
    tokens,
    masks,
    fills,
    attentions,
    heads,
    scores,
    rotated,
    plain,
    thetas,
    guesses,
    milliseconds: { tokenise: encoded - started, forward: computed - encoded, fill: filled - computed },
  };
}
