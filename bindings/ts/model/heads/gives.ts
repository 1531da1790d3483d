/** The kinds of answers that a model gives, and the refusal of a method that needs another. */
import type { Json } from "../files/read.js";
import { refuse } from "../refuse.js";
import type { Form } from "./surface.js";

/** A kind of answer that a model gives. */
export type Gives =
  | "vectors"
  | "tokens"
  | "sparse"
  | "relevance"
  | "words"
  | "classes"
  | "token-classes"
  | "answers"
  | "contacts";

/** By the names of heads in C++. */
const HEADS: Readonly<Record<string, Gives>> = {
  masked_lm: "words",
  sequence_classification: "classes",
  token_classification: "token-classes",
  span: "answers",
  contact: "contacts",
};

function labelsOf({ num_labels: count, id2label: names }: Json): number {
  if (typeof count === "number") return count;
  return typeof names === "object" && names !== null ? Object.keys(names).length : 2;
}

/**
 * `form` is that of modules.json without pooling, "score" that of a causal reranker. A model without modules.json makes vectors by the mean, unless it was
 * trained to classify or to answer.
 */
export function givesOf(
  heads: readonly string[],
  config: Json,
  hasModules: boolean,
  form: Form["kind"] | undefined,
): Gives[] {
  if (form === "score") return ["relevance"];
  const named = heads.flatMap((name) => HEADS[name] ?? []);
  const trained = heads.some((name) => !["masked_lm", "contact"].includes(name));
  const vectors: Gives[] = form === "tokens" || form === "sparse" ? [form] : hasModules || !trained ? ["vectors"] : [];
  const relevance: Gives[] = named.includes("classes") && labelsOf(config) === 1 ? ["relevance"] : [];
  return [...vectors, ...relevance, ...named];
}

export const listOf = (gives: readonly string[]): string => gives.map((each) => JSON.stringify(each)).join(", ");

/** Throws unless the model gives what the method needs. */
export function needs(fn: string, gives: readonly Gives[], kind: Gives): void {
  if (!gives.includes(kind))
    throw refuse.lacking(fn, `it needs a model that gives "${kind}"; this one gives ${listOf(gives) || "none"}`);
}
