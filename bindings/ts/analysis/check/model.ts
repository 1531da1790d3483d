/** A configuration as the emulated readers look at it. */
import type { Sheet } from "./facts.js";
import { Refusal } from "./rules.js";

export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The model of a configuration, as readers need it beside the keys. */
export interface Model {
  /** The object of the text model: the configuration itself, or its `text_config`. */
  readonly config: Json;
  readonly modelType: string;
  /** The facts about classes. */
  readonly sheet: Sheet;
  /** True if it has the key `general.architecture`. */
  readonly gguf: boolean;
  /** Tokens of the sequence that is rotated. */
  readonly context: number;
  /** The key that says so, or other words. */
  readonly contextFrom: string;
  /** The type of layers that is read; undefined where all layers rotate alike. */
  readonly layerType: string | undefined;
}

/** A number, or undefined for a key that is absent. null and other types are refused in Python's words. */
export function numberOf(object: Json, key: string): number | undefined {
  const value = object[key];
  if (value === undefined) return undefined;
  if (typeof value === "number") return value;
  throw new Refusal(`TypeError: \`${key}\` is ${JSON.stringify(value)}, not a number`);
}

/** As numberOf, but null counts as absent. */
export const optionalNumber = (object: Json, key: string): number | undefined =>
  object[key] === null ? undefined : numberOf(object, key);

/** As Python's d[key]. */
export function neededNumber(object: Json, key: string): number {
  const value = numberOf(object, key);
  if (value === undefined) throw new Refusal(`KeyError: '${key}'`);
  return value;
}

export function numbersOf(object: Json, key: string): number[] {
  const value = object[key];
  if (value === undefined) throw new Refusal(`KeyError: '${key}'`);
  if (Array.isArray(value) && value.every((each) => typeof each === "number")) return value;
  throw new Refusal(`TypeError: \`${key}\` is not a list of numbers`);
}

/** The first of several names of one number. */
export function firstNumber(object: Json, ...keys: string[]): number | undefined {
  for (const key of keys) {
    const value = optionalNumber(object, key);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Tokens of the longest sequence that the configuration names. */
export const longestOf = (config: Json): number | undefined =>
  firstNumber(config, "max_position_embeddings", "n_positions");

/** Two names of one dictionary member; `rope_type` wins. */
export function ruleNameOf(rule: Json): string | null {
  const name = rule.rope_type ?? rule.type ?? null;
  return typeof name === "string" ? name : null;
}

/** True if the members are dictionaries of one type of layers each. */
export const mapsLayerTypes = (value: unknown): value is Readonly<Record<string, Json>> =>
  isObject(value) &&
  Object.keys(value).length > 0 &&
  Object.values(value).every((each) => each === null || isObject(each));
