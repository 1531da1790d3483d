/** Judges a table of frequencies, or a row of cos and sin, by itself and beside what readers make of a configuration. */
import type { Found } from "../readings.js";
import type { RopeReport } from "../report.js";
import { explainTable } from "./explain.js";
import { type Explained, relativeError } from "./explained.js";
import type { TablePrecision } from "./precision.js";

export interface TableVerdict {
  code: 0 | 4 | 5;
  sentence: string;
  table?: RopeReport["table"];
  /** The reading that it is nearest to, where it differs from all. */
  nearest?: Found;
}

export interface Table {
  /** theta_j */
  theta: readonly number[];
  precision: TablePrecision;
  /** The length of (cos, sin), for a row. */
  magnitude?: number;
}

/** "10000", "186080.9" */
export const shown = (value: number): string => String(Number(value.toPrecision(7)));

/** The fewest digits that tell a value as exactly as it is known. */
export function rounded(value: number, tolerance: number): number {
  for (let digits = 1; digits < 7; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.abs(short - value) <= tolerance * Math.abs(value)) return short;
  }
  return Number(value.toPrecision(7));
}

function listed(options: Readonly<Record<string, unknown>>, tolerance: number): string {
  const members = Object.entries(options).filter(([, value]) => typeof value === "number");
  return members.map(([name, value]) => `, ${name} ${shown(rounded(value as number, tolerance))}`).join("");
}

const named = ({ rule, base, options }: { rule: string; base: number; options: object }, tolerance = 0): string =>
  `rule "${rule}" with base ${shown(rounded(base, tolerance))}${listed(options as Record<string, unknown>, tolerance)}`;

/** The fault of a table that no rule explains; undefined for one that may be sound. */
function brokenWhy(theta: readonly number[]): string | undefined {
  if (!theta.every(Number.isFinite)) return "it holds numbers that are not finite";
  if (theta.every((each) => each === 0)) return "every entry is zero";
  if (theta.some((each) => each < 0)) return "it holds negative numbers";
  const rising = theta.findIndex((each, j) => j > 0 && each > theta[j - 1]!);
  if (rising !== -1) return `it is not decreasing: pair ${rising} is larger than pair ${rising - 1}`;
  if (theta.length > 1 && theta[0] === theta.at(-1)) return "it is not decreasing: every entry is the same";
  if (!(theta[0]! > 0.02 && theta[0]! < 2)) return `it begins with ${shown(theta[0]!)} where about 1 is expected`;
  return undefined;
}

/** A table written twice: each entry beside itself, or all of them again behind the first half. */
function halved(theta: readonly number[]): { theta: number[]; why: string } | undefined {
  const half = theta.length / 2;
  if (theta.length < 4 || !Number.isInteger(half)) return undefined;
  const first = theta.slice(0, half);
  if (new Set(first).size < 2) return undefined;
  if (first.every((each, j) => each === theta[half + j])) {
    return { theta: first, why: "it holds the table twice, one after the other (the layout of half pairs)" };
  }
  const even = theta.filter((_, i) => i % 2 === 0);
  if (even.every((each, j) => each === theta[2 * j + 1])) {
    return { theta: even, why: "it holds each entry twice (the layout of interleaved pairs)" };
  }
  return undefined;
}

const asTable = ({ rule, base, options, error }: Explained) => ({ rule, base, options, error });

/** The reading that the table follows most closely. */
function nearest(theta: readonly number[], readings: readonly Found[]): { found: Found; error: number } | undefined {
  let best: { found: Found; error: number } | undefined;
  for (const found of readings) {
    const error = relativeError(theta, found.reading.frequencies);
    if (best === undefined || error < best.error) best = { found, error };
  }
  return best;
}

function alone(
  theta: readonly number[],
  explained: Explained | undefined,
  { tolerance, name }: TablePrecision,
): TableVerdict {
  const inWords = name === undefined ? "" : ` (its numbers have the precision of ${name})`;
  if (explained !== undefined && explained.error <= tolerance) {
    // A parameter is known as exactly as its numbers at best. Two numbers have a base, whatever they are.
    const few = theta.length < 3 ? " Two numbers always have one: print them all." : "";
    const sentence = `The table is ${named(explained, tolerance)}${inWords}.${few}`;
    return { code: 0, sentence, table: asTable(explained) };
  }
  const why = brokenWhy(theta);
  if (why !== undefined)
    return { code: 5, sentence: `No rule explains the table, and ${why}: it looks uninitialised.` };
  const about = explained === undefined ? "" : `; the nearest is ${named(explained)}, off by ${shown(explained.error)}`;
  return {
    code: 0,
    sentence: `No known rule explains the table${about}.`,
    ...(explained === undefined ? {} : { table: asTable(explained) }),
  };
}

/** @param readings of the configuration; none where the table stands alone */
export function judgeTable(given: Table, readings: readonly Found[]): TableVerdict {
  const { precision, magnitude } = given;
  const twice = halved(given.theta);
  const theta = twice?.theta ?? given.theta;
  const explained = explainTable(theta, precision);
  const whole = alone(theta, explained, precision);
  if (readings.length === 0)
    return twice ? { ...whole, sentence: `${whole.sentence} Its layout: ${twice.why}.` } : whole;

  const close = nearest(given.theta, readings)!;
  const { reading, options } = close.found;
  const expected = `The configuration is ${named({ rule: reading.rule, base: reading.base, options })} to ${reading.reader}`;
  const asRead = { rule: reading.rule, base: reading.base, options, error: close.error };
  if (close.error <= precision.tolerance) {
    if (magnitude !== undefined && Math.abs(magnitude - reading.magnitude) > 1e-5 * reading.magnitude) {
      const sentence = `${expected} and the table's angles follow it, but its magnitude is ${shown(magnitude)} instead of ${shown(reading.magnitude)}.`;
      return { code: 4, sentence, table: asRead };
    }
    if (precision.name === "bfloat16" || precision.name === "float16") {
      const sentence = `${expected}, but the table was rounded to ${precision.name}: angles are off by up to ${shown(close.error)} of themselves.`;
      return { code: 4, sentence, table: asRead };
    }
    const note = precision.name === undefined ? "" : `, as far as its ${precision.name} tell`;
    return {
      code: 0,
      sentence: `The table is what ${reading.reader} makes of the configuration${close.found.whose ?? ""}${note}.`,
      table: asRead,
    };
  }
  if (whole.code === 5) return whole;
  const dimension =
    given.theta.length === reading.frequencies.length
      ? ""
      : ` It has ${given.theta.length} pairs (rotary dimension ${2 * given.theta.length}), the configuration ${reading.frequencies.length} (rotary dimension ${2 * reading.frequencies.length}).`;
  const layout = twice === undefined ? "" : ` Its layout: ${twice.why}.`;
  return {
    ...whole,
    code: 4,
    nearest: close.found,
    sentence: `${expected}, but the table differs. ${whole.sentence}${dimension}${layout}`,
  };
}
