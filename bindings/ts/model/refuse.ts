/** Errors of models that TypeScript finds. */
import { type ErrorDetails, failure, refusal } from "../module/errors.js";

type Found = Error & ErrorDetails;

/** Errors to be thrown: "fn: `argument` is value; allowed: ...". */
export const refuse = {
  range: (fn: string, argument: string, value: unknown, allowed: string): Found =>
    refusal("range", fn, argument, value, allowed),

  type: (fn: string, argument: string, value: unknown, allowed: string): Found =>
    refusal("type", fn, argument, value, allowed),

  /** A text or an object that cannot be what its name says: of the wrong kind, and so a TypeError. */
  malformed: (fn: string, argument: string, why: string, cause?: unknown): Found =>
    Object.assign(failure("type", fn, `\`${argument}\` ${why}`, { argument }, cause === undefined ? {} : { cause }), {
      code: "malformed" as const,
    }),

  /** A file that is needed and not there. */
  missing: (fn: string, name: string, where: string): Found =>
    failure("range", fn, `\`files\` has no ${name}; found: ${where}`, {
      argument: "files",
      value: where,
      allowed: `files with ${name}`,
    }),

  /** A model that has not what a method needs. */
  lacking: (fn: string, why: string): Found =>
    Object.assign(new Error(`${fn}: ${why}`), { code: "unsupported" as const, function: fn }),

  /** A file that is sound, but asks for what is not done. */
  unsupported: (fn: string, argument: string, value: unknown, allowed: string): Found =>
    refusal("unsupported", fn, argument, value, allowed),
};
