/** The reading of a configuration by a class of Transformers, by its row of the sheet of facts. */
import type { Facts, LayerFacts } from "../facts.js";
import { firstNumber, isObject, type Json, type Model, numberOf, optionalNumber, ruleNameOf } from "../model.js";
import { Refusal } from "../rules.js";

export const filled = (value: unknown): value is Json => isObject(value) && Object.keys(value).length > 0;

/** Other names of a rule. */
const NAMES: Readonly<Record<string, string>> = { su: "longrope", mrope: "default", xdrope: "dynamic" };
/** Their formulas ask the configuration itself for `head_dim`, where null is not absence. */
const NEED_HEAD = /^(dynamic|yarn|longrope)$/;

/** An `rope_theta` that is null reaches the power of base and exponent, and raises there. */
export function baseOf(holder: Json, key: string): number | undefined {
  if (holder[key] === null) throw new Refusal("TypeError: the base is null");
  return numberOf(holder, key);
}

export const ruleName = (rule: Json, { type }: Facts): string => {
  const written = ruleNameOf(rule) ?? "default";
  if (written === "su" && !/^phi(3|4_multimodal)$/.test(type)) return written;
  return NAMES[written] ?? written;
};

/** True if the dictionary has one for each type of layers that the class has. */
const byType = (given: Json, facts: Facts): boolean =>
  Object.keys(facts.layers ?? {}).some((type) => isObject(given[type]));

/** Dictionaries have to be objects where they are neither missing nor null. */
export function refuseNoDictionary(config: Json): void {
  for (const key of ["rope_scaling", "rope_parameters", "text_config"]) {
    const value = config[key];
    if (value === undefined || value === null || isObject(value)) continue;
    throw new Refusal(`TypeError: \`${key}\` is ${JSON.stringify(value)}, not a dictionary`);
  }
}

/** The head dimension of layers, by their own key where they have one. Code of a checkpoint is read as Llama. */
export function headOf(config: Json, facts: Facts, name: string, layer: LayerFacts = {}): number {
  const hidden = firstNumber(config, facts.hiddenKey ?? "hidden_size", "hidden_size") ?? facts.hidden;
  const heads = firstNumber(config, facts.headsKey ?? "num_attention_heads", "num_attention_heads") ?? facts.heads;
  if (facts.divides && hidden !== undefined && heads !== undefined && hidden % heads !== 0)
    throw new Refusal(
      `ValueError: The hidden size (${hidden}) is not a multiple of the number of attention heads (${heads}).`,
    );
  const key = layer.headKey ?? facts.headKey ?? "head_dim";
  const given = key === "" ? undefined : config[key];
  // Where the class has no field for its head, it copies that of the part that rotates.
  if (given === undefined && key === "head_dim" && facts.latent && facts.nullHead === undefined) {
    const part = optionalNumber(config, "qk_rope_head_dim");
    if (part !== undefined) return part;
  }
  const absent = given === undefined && key !== "";
  const isNull = given === null || (absent && facts.nullHead === "none");
  if (isNull && (facts.nullHead === "refused" || (facts.nullHead !== "derived" && NEED_HEAD.test(name))))
    throw new Refusal(`TypeError: unsupported operand type(s) for *: 'NoneType' and 'float' (\`${key}\` is null)`);
  if (!absent && key !== "" && given !== null) return numberOf(config, key)!;
  const usual = layer.headKey === undefined ? facts.head : layer.head;
  if (usual !== undefined && given !== null) return usual;
  if (hidden === undefined || heads === undefined)
    throw new Refusal("AttributeError: neither `head_dim` nor `hidden_size` and `num_attention_heads`");
  return Math.floor(hidden / heads) * (facts.headTimes ?? 1);
}

/** The rule of the layers in question, and where it stands. */
export interface Class {
  facts: Facts;
  rule: Json;
  name: string;
  base: number;
  head: number;
  /** Channels that rotate; for the rule "proportional" the head. */
  dimension: number;
  /** Share of the pairs that turn, for the rule "proportional". */
  share: number;
  positions: number | undefined;
  original: number | undefined;
}

/** `rope_parameters`, for which the class's own dictionary stands in. */
function written(config: Json, facts: Facts): Json {
  const { rope_parameters: parameters } = config;
  if (parameters === undefined || (parameters === null && facts.nullRope === "default")) return facts.rope ?? {};
  if (parameters === null && facts.nullRope !== undefined) throw new Refusal(facts.nullRope);
  return parameters === null ? {} : (parameters as Json);
}

/** The dictionary of the layers of one type. */
function ofLayers(config: Json, facts: Facts, type: string): Json {
  const { rope_scaling: scaling } = config;
  const { scaling: scaled = [], flat = [] } = facts;
  // An error of `scaling` says that an old dictionary replaces those of all types, one that an update would not raise.
  const replaces = filled(scaling) && (typeof scaled === "string" || byType(scaling, facts));
  const all = replaces ? scaling : written(config, facts);
  const nested = byType(all, facts);
  const concerns = replaces ? scaled : flat;
  if (!nested && filled(all) && typeof concerns === "string") throw new Refusal(concerns);
  if (nested && all[type] === undefined && typeof scaled === "string") throw new Refusal(`KeyError: '${type}'`);
  const own = nested ? all[type] : typeof concerns !== "string" && concerns.includes(type) ? all : undefined;
  const rule = isObject(own) ? own : {};
  // The class adds the old dictionary to its own, whose `rope_type` counts before `type`.
  const added = !replaces && filled(scaling) && scaled.includes(type);
  const { truncate: _, ...read } = added ? { rope_type: "default", ...rule, ...scaling } : rule;
  // It is asked of the dictionary around those of types of layers, where nobody writes it.
  return all.truncate === undefined ? read : { ...read, truncate: all.truncate };
}

const NEEDED: Readonly<Record<string, string>> = {
  linear: "factor",
  dynamic: "factor",
  yarn: "factor original_max_position_embeddings",
  longrope: "short_factor long_factor original_max_position_embeddings",
  llama3: "factor low_freq_factor high_freq_factor original_max_position_embeddings",
};

/** A list with a number for each layer: that of the layers of one type, if they have one. */
function byLayer(config: Json, key: string, type: string): number | undefined {
  const { [key]: list, layer_types: types } = config;
  if (!Array.isArray(list) || !Array.isArray(types)) return undefined;
  const [first, ...others] = new Set(list.filter((_, layer) => types[layer] === type));
  if (typeof first === "number" && others.length === 0) return first;
  throw new Refusal(`TypeError: \`${key}\` has several values for layers of the type ${type}`);
}

/** A class that checks a dictionary of the file without rotating by it, or without adding to it. */
function checked(rule: Json, name: string): void {
  const missing = (NEEDED[name] ?? "").split(" ").filter((key) => key !== "" && rule[key] === undefined);
  if (missing.length > 0)
    throw new Refusal(
      `KeyError: "Missing required keys in \`rope_parameters\` for 'rope_type'='${name}': {'${missing.join("', '")}'}"`,
    );
}

function shareOf(config: Json, facts: Facts, rule: Json, name: string): number {
  if (name === "default" && !facts.shareRead) return 1;
  const { shareKey = "partial_rotary_factor" } = facts;
  const inside = optionalNumber(rule, "partial_rotary_factor");
  if (inside !== undefined) return inside;
  const beside = shareKey === "" || facts.layers ? undefined : optionalNumber(config, shareKey);
  if (beside !== undefined) return beside;
  if (name === "default" && facts.plainShare !== undefined) return facts.plainShare;
  const inParameters = filled(config.rope_parameters) ? facts.writtenShare : undefined;
  return facts.share ?? inParameters ?? 1;
}

/** Reads the file as the class does, for the layers of a type. */
export function classOf({ config, layerType }: Model, facts: Facts): Class {
  refuseNoDictionary(config);
  if (config.rope_scaling === null && facts.nullScaling !== undefined) throw new Refusal(facts.nullScaling);
  const list = facts.numbers === undefined ? undefined : config[facts.numbers];
  if (Array.isArray(list) && !list.every((each) => typeof each === "number"))
    throw new Refusal(`StrictDataclassFieldValidationError: Validation error for field '${facts.numbers}'`);
  const layer = layerType === undefined || !facts.layers ? undefined : (facts.layers[layerType] ?? {});
  const { rope_scaling: scaling } = config;
  let rule = layer ? ofLayers(config, facts, layerType!) : filled(scaling) ? scaling : written(config, facts);
  if (facts.bare) {
    checked(rule, ruleName(rule, facts));
    rule = {};
  }
  const named = rule.rope_type === undefined ? rule.type : rule.rope_type;
  if (named !== undefined && typeof named !== "string")
    throw new Refusal(`KeyError: ${named === null ? "None" : JSON.stringify(named)}`);
  const name = ruleName(rule, facts);
  for (const [names, message] of Object.entries(facts.refuses ?? {})) {
    // A member that is missing is the reason only where it is.
    const [, needed] = /(\w+) field must be a number, got None/.exec(message) ?? [];
    if (names.split(" ").includes(name) && (needed === undefined || rule[needed] === undefined))
      throw new Refusal(message);
  }
  const ofEach = layer && byLayer(config, "rope_theta", layerType!);
  const baseKey = ofEach !== undefined ? "" : layer ? (layer.baseKey ?? "") : (facts.baseKey ?? "rope_theta");
  const outer = baseKey === "" ? undefined : baseOf(config, baseKey);
  const base = baseOf(rule, "rope_theta") ?? ofEach ?? outer ?? (layer ? layer.base : (facts.base ?? 10000));
  if (base === undefined) throw new Refusal("KeyError: 'rope_theta'");
  const head = headOf(config, facts, name, layer);
  const share = (layer && byLayer(config, "partial_rotary_factors", layerType!)) ?? shareOf(config, facts, rule, name);
  if (config.head_dim === head && head > 4 && head % 2 !== 0 && Math.trunc(head * share) === head)
    throw new Refusal(`ValueError: RoPE requires an even rotary dimension, but got \`head_dim\`=${head}`);
  const key = facts.dimensionKey;
  const given = key === undefined ? undefined : (optionalNumber(config, key) ?? facts.dimension);
  return {
    facts,
    rule,
    name,
    base,
    head,
    dimension: given ?? (name === "proportional" ? head : Math.trunc(head * share)),
    share,
    positions: firstNumber(config, "max_position_embeddings", "n_positions") ?? facts.positions,
    original: layer ? undefined : (optionalNumber(config, "original_max_position_embeddings") ?? facts.original),
  };
}
