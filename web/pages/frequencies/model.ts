import { computed, effect, signal } from "@preact/signals";
import type { Explanation, RopeOptions, Ropewalk } from "ropewalk";
import { analyst, configReader } from "../../library/library.js";
import { frequenciesOf, type Rule } from "../../rope/rules.js";
import { messageOf } from "../../text/message.js";
import { state } from "./state.js";

/** What the library says of one rope. */
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
          explanation: rope.explain({ context }),
        },
      };
    } finally {
      rope.dispose();
    }
  } catch (error) {
    return { error: messageOf(error) };
  }
}

const told = (rule: Rule | null): Told | undefined =>
  analyst.value && rule
    ? tell(analyst.value, { headDim: state.d.value, frequencies: frequenciesOf(rule) }, state.context.value)
    : undefined;

/** undefined until the library is there; of B also where there is none. */
export const a = computed(() => told(state.a.value));
export const b = computed(() => told(state.b.value));

export interface Side {
  readonly name: "A" | "B";
  readonly tone: "q" | "k";
  readonly facts: Facts;
}
/** Those of the two whose settings are sound. */
export const sides = computed<readonly Side[]>(() => [
  ...(a.value?.facts ? [{ name: "A", tone: "q", facts: a.value.facts } as const] : []),
  ...(b.value?.facts ? [{ name: "B", tone: "k", facts: b.value.facts } as const] : []),
]);

export const pairCount = computed(() => state.d.value / 2);
effect(() => {
  if (state.pair.value >= pairCount.value) state.pair.value = pairCount.value - 1;
});

/** Hover to preview, click to keep: `state.pair` is the locked one. */
export const previewPair = signal<number | undefined>(undefined);
export const shownPair = computed(() => Math.min(previewPair.value ?? state.pair.value, pairCount.value - 1));

/** What was made of the pasted config.json. */
export const reading = computed<Told | undefined>(() => {
  const text = state.config.value.trim();
  const [from, read] = [analyst.value, configReader.value];
  if (!text || !from || !read) return undefined;
  let config: object;
  try {
    config = JSON.parse(text) as object;
  } catch (error) {
    return { error: `not JSON: ${messageOf(error)}` };
  }
  const layerType = state.layers.value.trim();
  try {
    const given = { sequenceLength: state.context.value, ...(layerType && { layerType }) };
    return tell(from, read(config, given), state.context.value);
  } catch (error) {
    return { error: messageOf(error) };
  }
});
