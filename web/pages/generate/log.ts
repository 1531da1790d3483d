import type { Field } from "../../state/fields.js";

/** How a cache comes to hold what an operation leaves: by the operation, without rotating keys, or by a fresh pass. */
export type How = "kept" | "unrotated" | "afresh";

export const rules = ["default", "linear", "ntk", "yarn"] as const;
export type RuleName = (typeof rules)[number];

/** A step on a text and its cache. */
export type Entry =
  | { readonly op: "write"; readonly count: number; readonly temperature: number; readonly seed: number }
  | { readonly op: "force"; readonly id: number }
  | { readonly op: "drop"; readonly how: How; readonly from: number; readonly to: number }
  | { readonly op: "append"; readonly how: How; readonly text: string }
  | { readonly op: "rescale"; readonly how: How; readonly rule: RuleName; readonly factor: number };
export type Log = readonly Entry[];
/** Entries after which there are several caches to compare. */
export type Operation = Extract<Entry, { how: How }>;

export const isOperation = (entry: Entry): entry is Operation => "how" in entry;

const MOST = 40;
/** Tokens of one entry. */
export const MOST_WRITTEN = 400;

const codes: Readonly<Record<Operation["op"], Partial<Record<How, string>>>> = {
  drop: { kept: "d", unrotated: "u", afresh: "n" },
  append: { kept: "a", afresh: "b" },
  rescale: { kept: "r", afresh: "s" },
};

/** Text in characters that an address leaves as they are, but for the percent sign. */
const escaped = (text: string) => encodeURIComponent(text).replace(/[*_]/g, (sign) => (sign === "*" ? "%2A" : "%5F"));

function write(entry: Entry): string {
  if (entry.op === "write") return `w${entry.count}_${entry.temperature}_${entry.seed}`;
  if (entry.op === "force") return `t${entry.id}`;
  const code = codes[entry.op][entry.how]!;
  if (entry.op === "drop") return `${code}${entry.from}_${entry.to}`;
  if (entry.op === "append") return `${code}${escaped(entry.text)}`;
  return `${code}${entry.rule}_${entry.factor}`;
}

export const writeLog = (log: Log): string => log.map(write).join("*");

const whole = (raw: string | undefined, least: number, most: number) => {
  const value = raw !== undefined && /^\d{1,7}$/.test(raw) ? Number(raw) : -1;
  return value >= least && value <= most ? value : undefined;
};
const real = (raw: string | undefined, least: number, most: number) => {
  const value = raw !== undefined && /^\d{1,3}(\.\d{1,3})?$/.test(raw) ? Number(raw) : -1;
  return value >= least && value <= most ? value : undefined;
};

function operation(code: string): [Operation["op"], How] | undefined {
  for (const op of ["drop", "append", "rescale"] as const) {
    for (const how of ["kept", "unrotated", "afresh"] as const) if (codes[op][how] === code) return [op, how];
  }
  return undefined;
}

function read(raw: string): Entry | undefined {
  const rest = raw.slice(1);
  const [first, second, third] = rest.split("_");
  if (raw[0] === "w") {
    const [count, temperature, seed] = [whole(first, 1, MOST_WRITTEN), real(second, 0, 2), whole(third, 1, 9999)];
    if (count === undefined || temperature === undefined || seed === undefined) return undefined;
    return { op: "write", count, temperature, seed };
  }
  if (raw[0] === "t") {
    const id = whole(rest, 0, 9_999_999);
    return id === undefined ? undefined : { op: "force", id };
  }
  const [op, how] = operation(raw[0] ?? "") ?? [];
  if (!op || !how) return undefined;
  if (op === "drop") {
    const [from, to] = [whole(first, 0, 1e6), whole(second, 1, 1e6)];
    return from === undefined || to === undefined || from >= to ? undefined : { op, how, from, to };
  }
  if (op === "rescale") {
    const [rule, factor] = [rules.find((name) => name === first), real(second, 1, 64)];
    return rule === undefined || factor === undefined ? undefined : { op, how, rule, factor };
  }
  try {
    const text = decodeURIComponent(rest);
    return text === "" ? undefined : { op, how, text };
  } catch {
    return undefined;
  }
}

/** `w20_0.8_1*d4_12`: 20 tokens written at temperature 0.8 with seed 1, then tokens 4 to 11 cut. */
export function logField(): Field<Log> {
  return {
    fallback: [],
    allowed: `at most ${MOST} steps, such as w20_0.8_1*d4_12`,
    parse(raw) {
      const entries = raw === "" ? [] : raw.split("*").map(read);
      return entries.length <= MOST && !entries.includes(undefined) ? (entries as Entry[]) : undefined;
    },
    format: writeLog,
  };
}

/** The log with another entry; tokens that go on in the same way count as one entry. */
export function withEntry(log: Log, entry: Entry): Log {
  const last = log.at(-1);
  const goesOn =
    last?.op === "write" && entry.op === "write" && last.temperature === entry.temperature && last.seed === entry.seed;
  if (!goesOn || last.count + entry.count > MOST_WRITTEN) return [...log, entry];
  return [...log.slice(0, -1), { ...last, count: last.count + entry.count }];
}

/** Index of the last operation of the log; -1: none. */
export function lastOperation(log: Log): number {
  for (let at = log.length - 1; at >= 0; at--) if (isOperation(log[at]!)) return at;
  return -1;
}

export const isFull = (log: Log) => log.length >= MOST;
