/** Documents by relevance to a query, with every kind of model that can rank. */
import { cosineOf, lengthOf } from "../../vectors/cosine.js";
import { type Floats, onlyOutputs } from "../encoder-output.js";
import { refuse } from "../refuse.js";
import type { CancelOptions, TruncationOptions } from "../text/embed-options.js";
import type { Encoded } from "../text/encoded.js";
import type { RankedDocument } from "../text/encoder-base.js";
import { Pace } from "../text/pace.js";
import { listOf } from "./gives.js";
import type { Head, HeadHost } from "./host.js";
import { noInstruction, promptOfSide, promptWith } from "./sides.js";
import type { RankOptions, SparseVector, TokenVectors } from "./surface.js";

type Options = CancelOptions & TruncationOptions;
type Scores = ArrayLike<number>;

/** Tokens of query and document together, as a cross-encoder or the chat template of a causal reranker has them. */
async function pairsOf(
  host: HeadHost,
  fn: string,
  query: string,
  documents: readonly string[],
  instruction: string | undefined,
  { signal, onTruncation }: Options,
): Promise<Encoded[]> {
  const { template, prompts, defaultPrompt } = host.facts;
  if (template === undefined) {
    const pairs = documents.map((document) => [query, document] as const);
    return (await host.truncated(fn, pairs, { signal, onTruncation })).map(({ encoded }) => encoded);
  }
  const own = defaultPrompt === undefined ? "" : prompts[defaultPrompt]!;
  const framed = template.framer(fn, host.tokenizer(fn), instruction ?? own, host.maxTokens);
  const pace = new Pace();
  const found: Encoded[] = [];
  for (const document of documents) {
    await pace.breathe(signal);
    const { encoded, tokens } = framed(query, document);
    if (tokens > host.maxTokens) onTruncation?.(found.length, tokens);
    found.push(encoded);
  }
  return found;
}

async function byRelevance(
  host: HeadHost,
  fn: string,
  query: string,
  documents: readonly string[],
  instruction: string | undefined,
  options: Options,
): Promise<Scores> {
  const texts = await pairsOf(host, fn, query, documents, instruction, options);
  const found = new Float64Array(documents.length);
  await host.run(fn, {
    texts,
    outputs: onlyOutputs({}),
    signal: options.signal,
    use({ relevance }, group) {
      if (relevance!.length !== group.length)
        throw refuse.lacking(
          fn,
          `this checkpoint has ${relevance!.length / group.length} labels; a cross-encoder has one`,
        );
      group.forEach((index, i) => {
        found[index] = relevance![i]!;
      });
    },
  });
  return found;
}

async function byCosine(
  host: HeadHost,
  query: string,
  documents: readonly string[],
  prompt: string,
  { signal, onTruncation }: Options,
): Promise<Scores> {
  const [asked] = await host.embed([query], { prompt: { text: prompt }, signal });
  const text = promptOfSide(host.facts, "document");
  const vectors = await host.embed(documents, { prompt: { text }, signal, onTruncation });
  const length = lengthOf(asked!);
  return vectors.map((vector) => cosineOf(asked!, vector, length));
}

/** For each token of the query the largest product with one of the document; their sum. */
function largestProducts(query: TokenVectors, document: TokenVectors): number {
  if (document.rows === 0) return 0;
  const rowsOf = ({ vectors, rows }: TokenVectors) => {
    const n = vectors.length / rows;
    return Array.from({ length: rows }, (_, row) => vectors.subarray(row * n, (row + 1) * n));
  };
  const others = rowsOf(document);
  const product = (a: Floats, b: Floats) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
  return rowsOf(query).reduce((sum, row) => sum + Math.max(...others.map((other) => product(row, other))), 0);
}

/** The sum over the words of both. */
function product(a: SparseVector, b: SparseVector): number {
  let sum = 0;
  for (let i = 0, j = 0; i < a.ids.length && j < b.ids.length; ) {
    const [left, right] = [a.ids[i]!, b.ids[j]!];
    if (left === right) sum += a.weights[i]! * b.weights[j]!;
    if (left <= right) i++;
    if (right <= left) j++;
  }
  return sum;
}

async function byHead(
  host: HeadHost,
  fn: string,
  query: string,
  documents: readonly string[],
  head: Head,
  options: Options,
): Promise<Scores> {
  const [asked] = await head.embed(host, fn, [query], "query", { signal: options.signal });
  const found = await head.embed(host, fn, documents, "document", options);
  return found.map((each) =>
    head.kind === "tokens"
      ? largestProducts(asked as TokenVectors, each as TokenVectors)
      : product(asked as SparseVector, each as SparseVector),
  );
}

export async function rank(
  host: HeadHost,
  fn: string,
  query: string,
  documents: readonly string[],
  { instruction, topK = Math.max(1, documents.length), ...options }: RankOptions,
): Promise<RankedDocument[]> {
  const { head, gives, template } = host.facts;
  const isOther = head !== undefined || gives.includes("vectors");
  const byPair = gives.includes("relevance") || (gives.includes("classes") && !isOther);
  if (!byPair && !isOther)
    throw refuse.lacking(
      fn,
      `it needs a model that gives relevance or vectors; this one gives ${listOf(gives) || "none"}`,
    );
  if (instruction !== undefined && (byPair ? template === undefined : head !== undefined))
    throw noInstruction(fn, instruction);
  const prompt = () =>
    instruction === undefined ? promptOfSide(host.facts, "query") : promptWith(fn, host.facts, instruction);
  const scores = byPair
    ? await byRelevance(host, fn, query, documents, instruction, options)
    : head === undefined
      ? await byCosine(host, query, documents, prompt(), options)
      : await byHead(host, fn, query, documents, head, options);
  const ranked = Array.from(scores, (score, index) => ({ index, score }));
  return ranked.sort((a, b) => b.score - a.score || a.index - b.index).slice(0, topK);
}
