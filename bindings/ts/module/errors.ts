/**
 * How failures reach the caller. C++ checks arguments and answers with a code and the parts of a sentence; what C++
 * cannot see, a value of the wrong JavaScript type, is refused here in the same words:
 * "rotate: `heads` is 0; allowed: a whole number of at least 1".
 */

import { CODES } from "./numbers.js";

/** The members that Ropewalk adds to the RangeError, TypeError or Error that it throws. */
export interface ErrorDetails {
  /**
   * "unsupported": the file is sound, but asks for something that Ropewalk does not implement. "network": a file could not
   * be reached.
   */
  readonly code: "range" | "type" | "malformed" | "unsupported" | "out-of-memory" | "disposed" | "network";
  /** The function that was called. */
  readonly function: string;
  readonly argument?: string;
  readonly value?: unknown;
  readonly allowed?: string;
}

type Code = ErrorDetails["code"];

/** "fn: problem", as an Error where an object was disposed or memory is out, else as a TypeError or a RangeError. */
export function failure(
  code: Code,
  fn: string,
  problem: string,
  about?: Omit<ErrorDetails, "code" | "function">,
  options?: ErrorOptions,
): Error & ErrorDetails {
  const kind = code === "type" ? TypeError : /^[odn]/.test(code) ? Error : RangeError;
  return Object.assign(new kind(fn ? `${fn}: ${problem}` : problem, options), { code, function: fn, ...about });
}

/** "fn: `argument` is value; allowed: allowed". */
export function refusal(
  code: "range" | "type" | "unsupported",
  fn: string,
  argument: string,
  value: unknown,
  allowed: string,
): Error & ErrorDetails {
  return failure(code, fn, refused(argument, quoted(value), allowed), { argument, value, allowed });
}

const refused = (argument: string, value: string, allowed: string) =>
  `\`${argument}\` is ${value}; allowed: ${allowed}`;

/** A value that C++ put into words. */
function literal(words: string): unknown {
  try {
    return JSON.parse(words);
  } catch {
    return words;
  }
}

/** Readers of files that C++ names where it names functions: what they say is about the format. */
const FORMATS = ["safetensors", "gguf"];

/**
 * The error that a Status of C++ becomes, from Status::data(). `words` turns the names in it into the caller's; `fn` is the
 * function that the caller called, where C++ names another one.
 */
export function errorOf(
  code: number,
  data: string,
  words: (text: string) => string,
  fn?: string,
): Error & ErrorDetails {
  const [own, argument, value, allowed, problem] = data.split("\0") as [string, string, string, string, string];
  const kind = CODES[code] as Exclude<(typeof CODES)[number], "ok">;
  const [reader, ...said] = own.split(": ");
  const inFile = fn !== undefined && FORMATS.includes(reader!) ? `${reader}: ` : "";
  if (argument === undefined) {
    return failure(kind, fn ?? (said.length ? words(reader!) : ""), inFile + words(said.join(": ") || own));
  }
  const about = { argument: words(argument), value: literal(value), allowed: words(allowed) };
  return failure(kind, fn ?? words(own), inFile + words(problem || refused(argument, value, allowed)), about);
}

/** C++ names things in snake_case, JavaScript in camelCase. Texts in quotation marks are values and stay. */
export function camelCaseNames(message: string): string {
  return message
    .replaceAll("rotate_qk", "rotateQK")
    .replace(/"[^"]*"|[a-z0-9]_[a-z0-9]/g, (found) => (found[0] === '"' ? found : found[0] + found[2]!.toUpperCase()));
}

/** Names of classes are shortened in the built package, and our own objects say theirs in a tag. */
function classOf(value: { [Symbol.toStringTag]?: unknown }): string {
  const tag = value[Symbol.toStringTag];
  return typeof tag === "string" ? tag : (value.constructor?.name ?? "null");
}

/** A value as messages show it: numbers and short texts literally, anything else by its kind. */
export function quoted(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value);
    case "bigint":
      return `the BigInt ${value}`;
    case "function":
    case "symbol":
      return `a ${typeof value}`;
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? "an array" : `an object of class ${classOf(value)}`;
    default:
      return String(value);
  }
}

/** A count or size that fits the module's 32 bits; whether 0 makes sense is for C++ to say. */
export function wholeNumber(fn: string, name: string, value: unknown): number {
  if (typeof value === "number") {
    if (value >>> 0 === value) return value;
    throw refusal("range", fn, name, value, "a whole number from 0 to 4294967295");
  }
  throw refusal("type", fn, name, value, "a whole number");
}

/** A distance in elements, which may be negative. */
export function signedWholeNumber(fn: string, name: string, value: unknown): number {
  if (typeof value === "number") {
    if ((value | 0) === value) return value;
    throw refusal("range", fn, name, value, "a whole number from -2147483648 to 2147483647");
  }
  throw refusal("type", fn, name, value, "a whole number");
}

/** Steps of one letter from one word to another. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++)
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (b[j] === letter ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}

/** The name among those that is written nearly so. */
function nearest(name: string, names: readonly string[]): string | undefined {
  const plain = (each: string) => each.toLowerCase().replace(/[^a-z0-9]/g, "");
  const near = names
    .map((each) => [distance(plain(name), plain(each)), each] as const)
    .filter(([steps, each]) => steps <= Math.max(1, each.length / 3))
    .sort(([a], [b]) => a - b);
  return near[0]?.[1];
}

/** The end of a message about an unknown name: the name that was meant, or all that are allowed. */
export function hint(name: string, names: readonly string[], meant = nearest(name, names)): string {
  return meant === undefined ? `; allowed: ${names.join(", ")}` : `; did you mean \`${meant}\`?`;
}

/**
 * An object of options, so that a forgotten argument is named rather than read. With `names` one that is not among them is
 * refused: it would be passed over.
 */
export function optionsObject<T extends object>(fn: string, name: string, value: T, names?: readonly string[]): T {
  if (typeof value !== "object" || value === null) throw refusal("type", fn, name, value, "an object");
  const other = names && Object.keys(value).find((each) => !names.includes(each));
  if (other === undefined) return value;
  throw failure("type", fn, `unknown option \`${other}\`${hint(other, names!)}`, { argument: other });
}
