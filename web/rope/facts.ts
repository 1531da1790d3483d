import type { Explanation, RopeOptions, Ropewalk } from "ropewalk";
import { inLabels } from "./rules.js";

/** The library's facts about one rope. */
export interface Facts {
  readonly options: RopeOptions;
  /** theta_j of the first head and axis, radians per position. */
  readonly theta: Float64Array;
  readonly wavelengths: Float64Array;
  /** Turns within the context, pair by pair. */
  readonly turns: Float64Array;
  readonly incomplete: ReadonlySet<number>;
  readonly explanation: Explanation;
}
/** Facts, or why there are none: the library's own message. */
export type Told =
  | { readonly facts: Facts; readonly error?: never }
  | { readonly facts?: never; readonly error: string };

/** The limits within a context are a walk over its distances: up to here it takes less than a frame or two. */
export const longest = 131072;

export function tell(from: Ropewalk, options: RopeOptions, context: number): Told {
  try {
    const rope = from.rope(options);
    try {
      const { turns, incomplete } = rope.turns(context);
      return {
        facts: {
          options,
          theta: rope.frequencies,
          wavelengths: rope.wavelengths,
          turns,
          incomplete: new Set(incomplete),
          explanation: rope.explain({ context, type: context <= longest ? "bfloat16" : undefined }),
        },
      };
    } finally {
      rope.dispose();
    }
  } catch (error) {
    return { error: inLabels(error, options.frequencies?.type) };
  }
}
