/** The values of a file that a table was not made with: they are replaced until the reader makes the table. */
import type { Core } from "../../module/core.js";
import type { NativeAnalysis } from "../../module/native.js";
import { isObject, type Json, type Model, mapsLayerTypes } from "./model.js";
import { filled, headOf, ruleName } from "./readers/class.js";
import { nameOf, ruleOf } from "./readers/rewritten.js";
import { type Found, readAll } from "./readings.js";
import type { RopeProblem, RopeReport } from "./report.js";
import { relativeError } from "./table/explained.js";
import { rounded, type Table } from "./table/judge.js";

type Explained = Pick<NonNullable<RopeReport["table"]>, "rule" | "base" | "options">;

interface Change {
  path: readonly string[];
  key: string;
  value: unknown;
}

/** Lengths that models are trained at. */
const LENGTHS = Array.from({ length: 13 }, (_, i) => 512 * 2 ** i);

function edited(json: Json, { path, key, value }: Change): Json {
  const [first, ...rest] = path;
  if (first === undefined) return { ...json, [key]: value };
  return { ...json, [first]: edited((isObject(json[first]) ? json[first] : {}) as Json, { path: rest, key, value }) };
}

/** The dictionaries that a rule found in a table would have. */
function rulesOf({ rule, options }: Explained, near: (value: unknown) => number | undefined): unknown[] {
  const { factor: found, longWavelength: long, shortWavelength: short } = options as Record<string, number>;
  const factor = near(found);
  if (rule === "linear") return [{ rope_type: rule, factor }];
  if (rule === "llama3") {
    const original = LENGTHS.find((each) => Math.abs(each - long!) < 0.01 * each) ?? near(long);
    const high_freq_factor = Math.round(original! / short!);
    return [
      { rope_type: rule, factor, low_freq_factor: 1, high_freq_factor, original_max_position_embeddings: original },
    ];
  }
  if (rule !== "yarn") return [];
  return LENGTHS.map((length) => ({ rope_type: rule, factor, original_max_position_embeddings: length }));
}

function changesOf(model: Model, explained: Explained, pairs: number, tolerance: number): Change[] {
  const { base } = explained;
  const options = explained.options as Json;
  const { config, layerType } = model;
  const rule = ruleOf(model);
  const dictionary =
    filled(config.rope_parameters) && !filled(config.rope_scaling) ? "rope_parameters" : "rope_scaling";
  const nested = mapsLayerTypes(config[dictionary]) && layerType !== undefined;
  const path = nested ? [dictionary, layerType] : [dictionary];
  const near = (value: unknown) => (typeof value === "number" ? rounded(value, 10 * tolerance) : undefined);
  const own = (key: string, value: unknown): Change => ({ path, key, value });
  // A rule that the file does not have, or another one in its place.
  const whole = nested ? [] : rulesOf(explained, near).map((value) => ({ path: [], key: dictionary, value }));
  const keys = ["rotary_emb_base", "rope_local_base_freq", "global_rope_theta", "local_rope_theta"];
  const changes: Change[] = [
    ...(rule.rope_theta === undefined ? [] : [own("rope_theta", near(base))]),
    ...["rope_theta", ...keys.filter((key) => config[key] !== undefined)].map((key) => ({
      path: [],
      key,
      value: near(base),
    })),
  ];
  try {
    const facts = model.sheet.of(model.modelType) ?? { type: "" };
    const share = (2 * pairs) / headOf(config, facts, ruleName(rule, facts));
    if (share <= 1)
      changes.push(own("partial_rotary_factor", share), {
        path: [],
        key: config.rotary_pct === undefined ? "partial_rotary_factor" : "rotary_pct",
        value: share,
      });
  } catch {}
  if (!filled(rule)) return [...changes, ...whole];
  const { factor, longWavelength: long, shortWavelength: short } = options;
  changes.push(own("factor", near(factor)));
  for (const length of LENGTHS) changes.push(own("original_max_position_embeddings", length));
  const original = Number(rule.original_max_position_embeddings ?? config.original_max_position_embeddings);
  changes.push(
    own("low_freq_factor", near(original / Number(long))),
    own("high_freq_factor", near(original / Number(short))),
  );
  if (nameOf(rule) === "yarn")
    changes.push(own("beta_fast", 32), own("beta_slow", 1), own("truncate", rule.truncate === false));
  if (!nested)
    changes.push({
      path: [],
      key: dictionary,
      value: dictionary === "rope_scaling" ? null : { rope_type: "default", rope_theta: rule.rope_theta },
    });
  return [...changes, ...whole];
}

/** The file's own value in this place, in words. */
function was(config: Json, { path, key }: Change): string {
  const holder = path.reduce<unknown>((from, each) => (isObject(from) ? from[each] : undefined), config);
  const value = isObject(holder) ? holder[key] : undefined;
  return value === undefined ? "missing" : JSON.stringify(value);
}

function problemOf(config: Json, change: Change): RopeProblem {
  const { path, key, value } = change;
  const at = [...path, key].join(".");
  const paste = `"${key}": ${JSON.stringify(value)}`;
  if (path.length === 0 && (key === "rope_scaling" || key === "rope_parameters")) {
    const how = isObject(value) ? `with rule ${String(value.rope_type)}` : "without it";
    return { key: at, problem: `\`${key}\` is ${was(config, change)}, the table was made ${how}`, paste };
  }
  return {
    key: at,
    problem: `\`${key}\` is ${was(config, change)}, the table was made with ${JSON.stringify(value)}`,
    paste,
  };
}

/** One or two values of the file; undefined where that is not all. */
export function madeWith(
  core: Core<NativeAnalysis>,
  json: Json,
  model: Model,
  { theta, precision }: Table,
  explained: Explained,
  { reading }: Found,
): RopeProblem[] | undefined {
  const { layerType, reader } = reading;
  const here = { ...model, layerType };
  const makes = (changes: readonly Change[]): boolean => {
    const config = changes.reduce(edited, model.config);
    const whole = json === model.config ? config : { ...json, text_config: config };
    const { found } = readAll(core, whole, { ...model, config }, [layerType], [reader]);
    return found.some((each) => relativeError(theta, each.reading.frequencies) <= precision.tolerance);
  };
  const changes = changesOf(here, explained, theta.length, precision.tolerance).filter(
    ({ value }) => value !== undefined && (typeof value !== "number" || Number.isFinite(value)),
  );
  const pairs = changes.slice(0, 4).flatMap((a, i) => changes.slice(i + 1).map((b) => [a, b]));
  const first = [...changes.map((each) => [each]), ...pairs].find(makes);
  return first?.map((each) => problemOf(model.config, each));
}
