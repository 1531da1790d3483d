/** Mistakes in a configuration, whatever readers make of it, and the text to paste in their place. */
import { isObject, type Json, type Model, mapsLayerTypes, ruleNameOf } from "./model.js";
import type { RopeProblem } from "./report.js";

const NUMBERS =
  "factor original_max_position_embeddings low_freq_factor high_freq_factor beta_fast beta_slow mscale mscale_all_dim attention_factor rope_theta partial_rotary_factor alpha mixed_b".split(
    " ",
  );
const KEYS = [...NUMBERS, "rope_type", "type", "short_factor", "long_factor", "truncate", "mrope_section"];
const RULES =
  "default linear dynamic yarn longrope llama3 su mrope proportional ntk telechat3-yarn deepseek_yarn".split(" ");
/** Keys that a rule cannot do without. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  linear: ["factor"],
  yarn: ["factor", "original_max_position_embeddings"],
  llama3: ["factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"],
  longrope: ["short_factor", "long_factor"],
};
const BASES = ["rope_theta", "rotary_emb_base", "rope_local_base_freq", "global_rope_theta", "local_rope_theta"];

/** Single letters to insert, drop or replace. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}

const letters = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, "");
/** The name that is meant by one that is not known: other signs, the beginning, or up to two letters. */
function meantBy(name: string, known: readonly string[]): string | undefined {
  const same = known.find((each) => letters(each) === letters(name) || (name.length > 7 && each.startsWith(name)));
  return same ?? known.find((each) => distance(each, name) <= (each.length > 5 ? 2 : 1));
}

const member = (key: string, value: unknown) =>
  `${JSON.stringify(key)}: ${JSON.stringify(value).replace(/([,:])(?=\S)/g, "$1 ")}`;
const isNumber = (value: unknown): value is number => typeof value === "number";

/** Both names of a rule are known to all, and "su" is another one of longrope. */
const ruleOf = (rule: Json) => {
  const name = ruleNameOf(rule) ?? "default";
  return name === "su" ? "longrope" : name;
};

function ofRule(at: string, rule: Json, { config }: Model, found: RopeProblem[]): void {
  const say = (key: string, problem: string, paste?: string) =>
    found.push({ key: `${at}.${key}`, problem, ...(paste !== undefined && { paste }) });
  const name = ruleOf(rule);
  const needed = NEEDED[name] ?? [];
  const missing = needed.filter((key) => rule[key] == null && config[key] == null);
  if (ruleNameOf(rule) === "su") {
    const key = rule.rope_type === undefined ? "type" : "rope_type";
    say(key, "`su` is the old name of the rule `longrope`, and newer libraries refuse it", member(key, "longrope"));
  }
  if (!RULES.includes(name)) {
    const [key, meant] = [rule.rope_type === undefined ? "type" : "rope_type", meantBy(name, RULES)];
    if (meant) say(key, `no reader knows the rule \`${name}\`; \`${meant}\` is meant`, member(key, meant));
  }
  for (const [key, value] of Object.entries(rule)) {
    const meant = KEYS.includes(key) ? undefined : meantBy(key, KEYS);
    if (meant && rule[meant] === undefined) {
      say(
        key,
        `\`${key}\` is not a key; \`${meant}\` is ${missing.includes(meant) ? "missing" : "meant"}`,
        member(meant, value),
      );
      if (missing.includes(meant)) missing.splice(missing.indexOf(meant), 1);
    }
    if (!NUMBERS.includes(key) || isNumber(value) || value === null || key === "rope_theta") continue;
    const number = typeof value === "string" ? Number(value || Number.NaN) : Number.NaN;
    say(key, `${JSON.stringify(value)} is no number`, Number.isFinite(number) ? member(key, number) : undefined);
  }
  for (const key of missing)
    say(key, `rule ${name} needs it${key.startsWith("orig") ? "; readers put different lengths in its place" : ""}`);
  const { factor, low_freq_factor: low, high_freq_factor: high, beta_fast: fast, beta_slow: slow } = rule;
  const [original, longest] = [
    rule.original_max_position_embeddings ?? config.original_max_position_embeddings,
    config.max_position_embeddings,
  ];
  if (isNumber(factor) && !(factor >= 1)) say("factor", `${factor} is no factor: it must be at least 1`);
  for (const key of ["attention_factor", "original_max_position_embeddings"]) {
    const value = rule[key];
    if (isNumber(value) && !(value > 0)) say(key, `it is ${value}; allowed: a number above 0`);
  }
  if (rule.rope_type !== undefined && typeof rule.rope_type !== "string")
    say("rope_type", `it is ${JSON.stringify(rule.rope_type)}; allowed: the name of a rule`);
  else if (rule.rope_type !== undefined && rule.type !== undefined && rule.type !== rule.rope_type)
    say(
      "type",
      `\`type\` says ${JSON.stringify(rule.type)} and \`rope_type\` ${JSON.stringify(rule.rope_type)}; leave one out`,
    );
  else if (rule.rope_type === undefined && rule.type === undefined && name === "default" && factor !== undefined)
    say("rope_type", "it is missing, so that most readers scale nothing; write the name of the rule");
  if (isNumber(low) && isNumber(high) && low > high) {
    const paste = `${member("low_freq_factor", high)}, ${member("high_freq_factor", low)}`;
    say("low_freq_factor", `low_freq_factor ${low} is larger than high_freq_factor ${high}: they are exchanged`, paste);
  }
  if (isNumber(fast) && isNumber(slow) && fast < slow) {
    const paste = `${member("beta_fast", slow)}, ${member("beta_slow", fast)}`;
    say("beta_fast", `beta_fast ${fast} is smaller than beta_slow ${slow}: the ramp runs backwards`, paste);
  }
  if (isNumber(original) && isNumber(longest) && isNumber(factor)) {
    if (name === "llama3" && original >= longest)
      say("original_max_position_embeddings", `${original} is not shorter than max_position_embeddings ${longest}`);
    if (name === "yarn" && original > 0 && longest > factor * original * 1.001)
      found.push({
        key: "max_position_embeddings",
        problem: `${longest} is longer than factor * original_max_position_embeddings = ${factor * original}`,
        paste: member("factor", longest / original),
      });
  }
  ofLists(rule, config, say);
}

type Say = (key: string, problem: string, paste?: string) => void;
function ofLists(rule: Json, config: Json, say: Say): void {
  const { short_factor: short, long_factor: long, mrope_section: sections } = rule;
  const { hidden_size: hidden, num_attention_heads: heads } = config;
  const head = config.head_dim ?? (isNumber(hidden) && isNumber(heads) ? hidden / heads : undefined);
  const share = rule.partial_rotary_factor ?? config.partial_rotary_factor ?? 1;
  const pairs = isNumber(head) && isNumber(share) ? Math.floor(Math.trunc(head * share) / 2) : undefined;
  for (const [key, list] of Object.entries({ long_factor: long, short_factor: short })) {
    if (Array.isArray(list) && pairs !== undefined && list.length !== pairs)
      say(key, `${list.length} factors for ${pairs} pairs`);
    const wrong = Array.isArray(list) ? list.findIndex((each) => !(isNumber(each) && each > 0)) : -1;
    if (wrong >= 0)
      say(key, `entry ${wrong} is ${JSON.stringify((list as unknown[])[wrong])}; allowed: numbers above 0`);
  }
  const sum = (list: unknown) => (Array.isArray(list) ? list.reduce((all: number, each) => all + Number(each), 0) : 0);
  if (sum(short) > sum(long) && sum(long) > 0)
    say("short_factor", "the short factors are larger than the long ones: the two lists are exchanged");
  if (Array.isArray(sections) && pairs !== undefined && sum(sections) !== pairs)
    say("mrope_section", `the sections sum to ${sum(sections)}, of ${pairs} pairs`);
}

function ofBases(config: Json, at: string, found: RopeProblem[]): void {
  for (const key of BASES) {
    const value = config[key];
    if (value === undefined || value === null || Array.isArray(value) || (isNumber(value) && value > 1)) continue;
    const number = Math.abs(Number(value));
    const problem = isNumber(value) ? "a base must be greater than 1" : `${JSON.stringify(value)} is no number`;
    found.push({
      key: at + key,
      problem,
      ...(number > 1 && Number.isFinite(number) && { paste: member(key, number) }),
    });
  }
}

const SIZES = ["hidden_size", "num_attention_heads", "head_dim", "max_position_embeddings"];
const SHARES = ["partial_rotary_factor", "rotary_pct"];
const TOP = ["rope_theta", "rope_scaling", "rope_parameters", "partial_rotary_factor", "max_position_embeddings"];
/** Names of the base in other programs. */
const BASE_ELSEWHERE = ["rope_base", "rotary_base", "rope_freq_base"];

/** Keys beside the dictionaries that no reader can take as they are, or does not know. */
function ofTop(config: Json, found: RopeProblem[]): void {
  for (const key of [...SIZES, ...SHARES]) {
    const value = config[key];
    if (value === undefined || (value === null && key !== "max_position_embeddings")) continue;
    const share = SHARES.includes(key);
    if (isNumber(value) && value > 0 && (share ? value <= 1 : Number.isInteger(value))) continue;
    const number = typeof value === "string" && value !== "" ? Number(value) : Number.NaN;
    const allowed = share ? "a number above 0 and at most 1" : "a whole number of at least 1";
    const problem = `it is ${JSON.stringify(value)}; allowed: ${allowed}`;
    found.push({ key, problem, ...(Number.isFinite(number) && { paste: member(key, number) }) });
  }
  for (const [key, value] of Object.entries(config)) {
    const meant = TOP.includes(key) ? undefined : BASE_ELSEWHERE.includes(key) ? "rope_theta" : meantBy(key, TOP);
    if (meant && config[meant] === undefined)
      found.push({ key, problem: `no reader knows the key; \`${meant}\` is meant`, paste: member(meant, value) });
  }
  const { text_config: text, model_type: type } = config;
  if (text !== undefined && text !== null && !isObject(text))
    found.push({ key: "text_config", problem: `it is ${JSON.stringify(text)}; allowed: an object` });
  if (type !== undefined && type !== null && typeof type !== "string")
    found.push({ key: "model_type", problem: `it is ${JSON.stringify(type)}; allowed: a text` });
}

/** The full layers are those for long distances: their base is the larger one wherever the two differ. */
function ofLayers(config: Json, found: RopeProblem[]): void {
  const { full_attention: full, sliding_attention: sliding } = (config.rope_parameters ?? {}) as Record<string, Json>;
  const [key, a, b] =
    full && sliding
      ? ["rope_parameters.full_attention.rope_theta", full.rope_theta, sliding.rope_theta]
      : config.global_rope_theta !== undefined
        ? ["global_rope_theta", config.global_rope_theta, config.local_rope_theta]
        : ["rope_theta", config.rope_theta, config.rope_local_base_freq];
  if (!isNumber(a) || !isNumber(b) || a >= b || a <= 1) return;
  const problem = `the two types of layers are exchanged: ${a} in full layers, ${b} in sliding ones`;
  const paste = full
    ? `${member("full_attention", { ...full, rope_theta: b })}, ${member("sliding_attention", { ...sliding, rope_theta: a })}`
    : undefined;
  found.push({ key: key as string, problem, ...(paste && { paste }) });
}

/** A rule without what one file names and another does not. */
const plain = (rule: Json) => {
  const { rope_theta: _, type: __, rope_type: ___, ...rest } = rule;
  return JSON.stringify([ruleOf(rule), Object.entries(rest).sort()]);
};

export function problemsOf(model: Model): RopeProblem[] {
  const { config, gguf } = model;
  const found: RopeProblem[] = [];
  if (gguf) return found;
  const { rope_scaling: scaling, rope_parameters: parameters } = config;
  for (const [key, given] of Object.entries({ rope_scaling: scaling, rope_parameters: parameters })) {
    if (given === undefined || given === null) continue;
    if (!isObject(given)) {
      const form = `write an object, as {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 32768}`;
      found.push({
        key,
        problem: `${JSON.stringify(given)} is a ${Array.isArray(given) ? "list" : typeof given}, not an object; ${form}`,
      });
    } else if (mapsLayerTypes(given)) {
      for (const [type, rule] of Object.entries(given))
        if (isObject(rule)) {
          ofRule(`${key}.${type}`, rule, model, found);
          ofBases(rule, `${key}.${type}.`, found);
        }
    } else {
      ofRule(key, given, model, found);
      ofBases(given, `${key}.`, found);
    }
  }
  ofBases(config, "", found);
  ofTop(config, found);
  ofLayers(config, found);
  const both = [scaling, parameters].every((each) => isObject(each) && Object.keys(each).length > 0);
  if (both && !mapsLayerTypes(parameters) && plain(scaling as Json) !== plain(parameters as Json))
    found.push({
      key: "rope_parameters",
      problem: "`rope_scaling` and `rope_parameters` say different things; leave one out",
    });
  const { hidden_size: hidden, num_attention_heads: heads, rope_theta: base, rotary_emb_base: other } = config;
  if (
    isNumber(hidden) &&
    isNumber(heads) &&
    hidden % heads !== 0 &&
    config.head_dim == null &&
    !config.qk_rope_head_dim
  )
    found.push({
      key: "hidden_size",
      problem: `${hidden} / ${heads} heads is not a whole number, and head_dim is not given`,
    });
  if (isNumber(base) && isNumber(other) && base !== other)
    found.push({ key: "rope_theta", problem: `it is ${base} beside \`rotary_emb_base\` ${other}; leave one out` });
  return found;
}
