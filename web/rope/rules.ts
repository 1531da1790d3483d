import type { Frequencies } from "ropewalk";
import type { Field } from "../state/fields.js";

export type RuleName = Frequencies["type"];
export type Given = number | boolean | readonly number[];

/** One parameter of a rule: in the order in which C++ declares them. */
export interface Parameter {
  readonly name: string;
  readonly label: string;
  readonly kind: "number" | "list" | "switch";
  /** What it has when the rule is first chosen; undefined: left to the library, which has a default. */
  readonly first?: number;
  /** What the library takes when nothing is given. */
  readonly otherwise?: string;
}

export interface RuleKind {
  readonly label: string;
  readonly says: string;
  readonly parameters: readonly Parameter[];
}

const number = (name: string, label: string, first: number): Parameter => ({ name, label, kind: "number", first });
const optional = (name: string, label: string, otherwise: string): Parameter => ({
  name,
  label,
  kind: "number",
  otherwise,
});
const list = (name: string, label: string): Parameter => ({ name, label, kind: "list" });

const base = number("base", "base", 10000);
const factor = number("factor", "factor", 8);
const original = number("originalMaxPositions", "original length", 8192);
const length = number("sequenceLength", "sequence length", 32768);

/** What a person sets of each published rule; what the values may be, the library says. */
export const rules: Readonly<Record<RuleName, RuleKind>> = {
  default: { label: "default", says: "Each pair slower than the one before by the same ratio.", parameters: [base] },
  linear: {
    label: "linear",
    says: "Position interpolation: every pair slowed down alike, also those that tell neighbours apart.",
    parameters: [base, factor],
  },
  ntk: {
    label: "NTK-aware",
    says: "A larger base: the fastest pair stays, the slowest is divided by the factor.",
    parameters: [base, factor],
  },
  dynamic: {
    label: "dynamic NTK",
    says: "NTK whose factor follows the sequence length: nothing changes up to the trained one.",
    parameters: [base, factor, number("maxPositions", "trained length", 8192), length],
  },
  yarn: {
    label: "YaRN",
    says: "Pairs that turned often in training are kept, those that never did are divided, a ramp between; and a magnitude.",
    parameters: [
      base,
      factor,
      original,
      optional("betaFast", "β fast, turns", "32"),
      optional("betaSlow", "β slow, turns", "1"),
      optional("attentionFactor", "magnitude", "by factor"),
      optional("mscale", "mscale", "none"),
      optional("mscaleAllDim", "mscale, all", "none"),
      { name: "truncate", label: "ramp from whole pair to whole pair", kind: "switch" },
    ],
  },
  longrope: {
    label: "LongRoPE",
    says: "A divisor for every pair, found by search: short ones up to the original length, long ones beyond.",
    parameters: [
      base,
      list("shortFactor", "short divisors, d/2"),
      list("longFactor", "long divisors, d/2"),
      original,
      length,
      optional("factor", "factor", "none"),
      optional("attentionFactor", "magnitude", "by factor"),
    ],
  },
  llama3: {
    label: "Llama 3",
    says: "Short wavelengths kept, long ones multiplied, a ramp in frequency between.",
    parameters: [
      { ...base, first: 500000 },
      factor,
      number("lowFrequencyFactor", "low-frequency factor", 1),
      number("highFrequencyFactor", "high-frequency factor", 4),
      original,
    ],
  },
  proportional: {
    label: "proportional",
    says: "Only the first pairs turn; the others stand still and can carry meaning whatever the distance.",
    parameters: [base, number("fraction", "fraction that turns", 0.25), optional("factor", "factor", "1")],
  },
  "receptive-field": {
    label: "receptive field",
    says: "A pace that all pairs share, 1/10000^ρ with weight α: how far a head looks becomes a number to learn.",
    parameters: [base, number("alpha", "α", 0.5), number("rho", "ρ", 0.5)],
  },
  custom: {
    label: "custom",
    says: "Every θ as it is given.",
    parameters: [list("frequencies", "θ, d/2"), optional("magnitude", "magnitude", "1")],
  },
};
export const ruleNames = Object.keys(rules) as RuleName[];

/** A rule as a person has set it. Its values have the parameters' types; whether they make sense, the library knows. */
export interface Rule {
  readonly type: RuleName;
  readonly values: Readonly<Record<string, Given>>;
}

export function frequenciesOf({ type, values }: Rule): Frequencies {
  return { type, ...values } as unknown as Frequencies;
}

/** The way back, for rules that the library read; per-head values and what the rule has no box for are left out. */
export function ruleOf(frequencies: Frequencies): Rule {
  const given = frequencies as unknown as Record<string, unknown>;
  const values: Record<string, Given> = {};
  for (const { name, kind } of rules[frequencies.type].parameters) {
    const value = given[name];
    if (kind === "list" && value !== undefined) values[name] = Array.from(value as ArrayLike<number>);
    else if (typeof value === "number" || typeof value === "boolean") values[name] = value;
  }
  return { type: frequencies.type, values };
}

/** Lists to begin with: an even descent of theta, and divisors that rise from 1 to 32. */
export function exampleList(name: string, pairs: number): readonly number[] {
  const short = (value: number) => Number(value.toPrecision(4));
  const share = (j: number) => (pairs > 1 ? j / (pairs - 1) : 0);
  if (name === "frequencies") return Array.from({ length: pairs }, (_, j) => short(1 - (0.99 * j) / pairs));
  if (name === "shortFactor") return new Array<number>(pairs).fill(1);
  return Array.from({ length: pairs }, (_, j) => short(32 ** share(j)));
}

/** Another rule, with what both have in common kept. */
export function changeRule(from: Rule | undefined, type: RuleName, pairs: number): Rule {
  const values: Record<string, Given> = {};
  for (const { name, kind, first } of rules[type].parameters) {
    const kept = from?.values[name];
    if (kept !== undefined) values[name] = kept;
    else if (kind === "list") values[name] = exampleList(name, pairs);
    else if (first !== undefined) values[name] = first;
  }
  return { type, values };
}

const numeral = /^-?(\d+\.?\d*|\.\d+)(e[-+]?\d{1,3})?$/i;
function parseNumber(raw: string): number | undefined {
  const value = raw.length <= 32 && numeral.test(raw) ? Number(raw) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

/** "1, 0.5 0.25": numbers between commas or blanks; undefined where one is none. */
export function parseList(raw: string, separator: RegExp = /[\s,;]+/): readonly number[] | undefined {
  const items = raw.split(separator).filter(Boolean);
  const values = items.map(parseNumber);
  return items.length <= 1024 && !values.includes(undefined) ? (values as number[]) : undefined;
}

function parseGiven(kind: Parameter["kind"], raw: string): Given | undefined {
  if (kind === "list") return parseList(raw, /_/);
  if (kind === "switch") return raw === "true" ? true : raw === "false" ? false : undefined;
  return parseNumber(raw);
}

function parseRule(raw: string): Rule | undefined {
  const [type, ...parts] = raw.split("*");
  const name = ruleNames.find((candidate) => candidate === type);
  if (!name || parts.length % 2 !== 0) return undefined;
  const values: Record<string, Given> = {};
  for (let i = 0; i < parts.length; i += 2) {
    const parameter = rules[name].parameters.find((candidate) => candidate.name === parts[i]);
    const value = parameter && parseGiven(parameter.kind, parts[i + 1]!);
    if (!parameter || value === undefined) return undefined;
    values[parameter.name] = value;
  }
  const whole = rules[name].parameters.every(
    ({ name: key, kind, first }) => values[key] !== undefined || (kind !== "list" && first === undefined),
  );
  return whole ? { type: name, values } : undefined;
}

/** `yarn*base*10000*factor*4`: characters that an address leaves as they are. */
function formatRule({ type, values }: Rule): string {
  const parts = Object.entries(values).map(([name, value]) => {
    const written = Array.isArray(value) ? value.join("_") : String(value);
    return `*${name}*${written}`;
  });
  return type + parts.join("");
}

const allowed = `a rule and its parameters, such as yarn*base*10000*factor*4*originalMaxPositions*4096; rules: ${ruleNames.join(", ")}`;

export function rule(fallback: Rule): Field<Rule> {
  return { fallback, allowed, parse: parseRule, format: formatRule };
}

/** A rule, or null for none. */
export function optionalRule(fallback: Rule | null): Field<Rule | null> {
  return {
    fallback,
    allowed: `none, or ${allowed}`,
    parse: (raw) => (raw === "none" ? null : parseRule(raw)),
    format: (value) => (value ? formatRule(value) : "none"),
  };
}
