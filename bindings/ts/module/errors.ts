/**
 * How failures reach the caller. C++ checks arguments and answers with a code and a message; what C++ cannot see,
 * a value of the wrong JavaScript type, is refused here in the same words:
 * "rotate: `heads` is 0; allowed: a whole number of at least 1".
 */

/** Codes of ropewalk::Status. */
export const Code = { ok: 0, range: 1, type: 2, outOfMemory: 3 } as const;

/** The error that a Status of C++ becomes. */
export function errorOf(code: number, message: string): Error {
  if (code === Code.range) return new RangeError(message);
  if (code === Code.type) return new TypeError(message);
  return new Error(message);
}

/** C++ names things in snake_case, JavaScript in camelCase. Texts in quotation marks are values and stay. */
export function camelCaseNames(message: string): string {
  return message
    .replaceAll("rotate_qk", "rotateQK")
    .replace(/"[^"]*"|[a-z0-9]_[a-z0-9]/g, (found) => (found[0] === '"' ? found : found[0] + found[2]!.toUpperCase()));
}

/** A value as messages show it: numbers and short texts literally, anything else by its kind. */
export function quoted(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value);
    case "bigint":
      return `the BigInt ${value}`;
    case "function":
      return "a function";
    case "symbol":
      return "a symbol";
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? "an array" : `an object of class ${value.constructor?.name ?? "null"}`;
    default:
      return String(value);
  }
}

/** "fn: `name` is value; allowed: allowed". */
export function refusal(fn: string, name: string, value: unknown, allowed: string): string {
  return `${fn}: \`${name}\` is ${quoted(value)}; allowed: ${allowed}`;
}

/** A count or size that fits the module's 32 bits; whether 0 makes sense is for C++ to say. */
export function wholeNumber(fn: string, name: string, value: unknown): number {
  if (typeof value === "number") {
    if (value >>> 0 === value) return value;
    throw new RangeError(refusal(fn, name, value, "a whole number from 0 to 4294967295"));
  }
  throw new TypeError(refusal(fn, name, value, "a whole number"));
}

/** A distance in elements, which may be negative. */
export function signedWholeNumber(fn: string, name: string, value: unknown): number {
  if (typeof value === "number") {
    if ((value | 0) === value) return value;
    throw new RangeError(refusal(fn, name, value, "a whole number from -2147483648 to 2147483647"));
  }
  throw new TypeError(refusal(fn, name, value, "a whole number"));
}

/** An object of options, so that a forgotten argument is named rather than read. */
export function optionsObject<T extends object>(fn: string, name: string, value: T): T {
  if (typeof value === "object" && value !== null) return value;
  throw new TypeError(refusal(fn, name, value, "an object"));
}
