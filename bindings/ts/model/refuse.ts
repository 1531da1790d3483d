/** Errors of models that TypeScript finds, with what `ErrorDetails` names. */
import { refusal } from "../module/errors.js";

type Code = "range" | "type" | "malformed" | "unsupported";

interface Details {
  code: Code;
  function: string;
  argument?: string;
  value?: unknown;
  allowed?: string;
}

const KINDS = { range: RangeError, type: TypeError, malformed: TypeError, unsupported: RangeError } as const;

function made(message: string, details: Details, cause?: unknown): Error {
  const error = new KINDS[details.code](message, cause === undefined ? undefined : { cause });
  return Object.assign(error, details);
}

/** Errors to be thrown: "fn: `argument` is value; allowed: ...". */
export const refuse = {
  range: (fn: string, argument: string, value: unknown, allowed: string): Error =>
    made(refusal(fn, argument, value, allowed), { code: "range", function: fn, argument, value, allowed }),

  type: (fn: string, argument: string, value: unknown, allowed: string): Error =>
    made(refusal(fn, argument, value, allowed), { code: "type", function: fn, argument, value, allowed }),

  /** A file that cannot be what its name says. */
  malformed: (fn: string, argument: string, why: string, cause?: unknown): Error =>
    made(`${fn}: \`${argument}\` ${why}`, { code: "malformed", function: fn, argument }, cause),

  /** A file that is needed and not there. */
  missing: (fn: string, name: string, where: string): Error =>
    made(`${fn}: \`files\` has no ${name}; found: ${where}`, {
      code: "range",
      function: fn,
      argument: "files",
      value: where,
      allowed: `files with ${name}`,
    }),

  /** A model that has not what a method needs. */
  lacking: (fn: string, why: string): Error =>
    Object.assign(new Error(`${fn}: ${why}`), { code: "unsupported", function: fn }),

  /** A file that is sound, but asks for what is not done. */
  unsupported: (fn: string, argument: string, value: unknown, allowed: string): Error =>
    made(refusal(fn, argument, value, allowed), { code: "unsupported", function: fn, argument, value, allowed }),
};
