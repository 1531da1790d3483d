import type { Frequencies } from "ropewalk";
import type { Field } from "../state/fields.js";
import { messageOf } from "../text/message.js";
import type { Parameter } from "./rule-kind.js";
import { rules } from "./rule-table.js";

export { rules };

export type RuleName = Frequencies["type"];
export type Given = number | boolean | readonly number[];

export const ruleNames = Object.keys(rules) as RuleName[];

/** A rule as a person has set it. Its values have the parameters' types; whether they make sense, the library knows. */
export interface Rule {
  readonly type: RuleName;
  readonly values: Readonly<Record<string, Given>>;
}

export function frequenciesOf({ type, values }: Rule): Frequencies {
  return { type, ...values } as unknown as Frequencies;
}

/** The refusal of a rope as the page names things: a parameter by the label of its box. */
export function inLabels(error: unknown, type: RuleName | undefined): string {
  const { argument = "", value, allowed = "" } = error as { argument?: string; value?: unknown; allowed?: string };
  const parameters = type ? rules[type].parameters : [];
  const own = parameters.find(({ name }) => argument === `frequencies.${name}`);
  if (!own) return messageOf(error);
  const said = parameters.reduce((text, { name, label }) => text.replaceAll(name, label), allowed);
  return `${own.label} is ${String(value)}; allowed: ${said}.`;
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
