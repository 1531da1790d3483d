import { computed, effect, signal } from "@preact/signals";
import type { Explanation, RopeOptions, Ropewalk } from "ropewalk";
import { analyst, configReader } from "../../library/library.js";
import { frequenciesOf, inLabels, type Rule } from "../../rope/rules.js";
import { messageOf } from "../../text/message.js";
import { type Length, layerTypesOf, lengthOf } from "./config-length.js";
import { state } from "./state.js";

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

function tell(from: Ropewalk, options: RopeOptions, context: number): Told {
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
    return { error: inLabels(error, options.frequencies?.type) };
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

/** One reading of the pasted config.json: of all layers, or of one type of them where types differ. */
export interface Reading {
  readonly layerType?: string;
  readonly told: Told;
}
export interface Read {
  /** The length that the file is judged at, and the file's own, where it has one. */
  readonly length: number;
  readonly own?: Length;
  readonly readings: readonly Reading[];
}

/** The reading of the pasted config.json. */
export const reading = computed<Read | undefined>(() => {
  const text = state.config.value.trim();
  const [from, read] = [analyst.value, configReader.value];
  if (!text || !from || !read) return undefined;
  let config: object;
  try {
    config = Object(JSON.parse(text)) as object;
  } catch (error) {
    const told = { error: `not JSON: ${messageOf(error)}` };
    return { length: state.context.value, readings: [{ told }] };
  }
  const own = lengthOf(config);
  const length = own?.positions ?? state.context.value;
  const of = (layerType?: string): Reading => {
    try {
      const options = read(config, { sequenceLength: length, ...(layerType && { layerType }) });
      return { layerType, told: tell(from, options, length) };
    } catch (error) {
      return { layerType, told: { error: messageOf(error) } };
    }
  };
  const asked = of(state.layers.value.trim() || undefined);
  // Without a type, a file whose layers differ is refused: then every type that it can be read for is shown.
  const types = asked.told.error && !asked.layerType ? layerTypesOf(config).map(of) : [];
  const sound = types.filter(({ told }) => told.facts);
  return { length, own, readings: sound.length > 1 ? sound : [asked] };
});
