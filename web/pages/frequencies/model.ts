import { computed, effect, signal } from "@preact/signals";
import { analyst } from "../../library/library.js";
import { type Facts, type Told, tell } from "../../rope/facts.js";
import { frequenciesOf, type Rule } from "../../rope/rules.js";
import { state } from "./state.js";

const told = (rule: Rule | null): Told | undefined =>
  analyst.value && rule
    ? tell(analyst.value, { headDim: state.d.value, frequencies: frequenciesOf(rule) }, state.context.value)
    : undefined;

/** Facts of rule A and rule B. Undefined until the library is loaded; B also where no second rule is chosen. */
export const a = computed(() => told(state.a.value));
export const b = computed(() => told(state.b.value));

export interface Side {
  readonly name: "A" | "B";
  readonly tone: "a" | "b";
  readonly facts: Facts;
}
/** The rules, A and B, whose settings are valid. */
export const sides = computed<readonly Side[]>(() => [
  ...(a.value?.facts ? [{ name: "A", tone: "a", facts: a.value.facts } as const] : []),
  ...(b.value?.facts ? [{ name: "B", tone: "b", facts: b.value.facts } as const] : []),
]);

export const pairCount = computed(() => state.d.value / 2);
effect(() => {
  if (state.pair.value >= pairCount.value) state.pair.value = pairCount.value - 1;
});

/** Hover to preview, click to keep: `state.pair` is the locked one. */
export const previewPair = signal<number | undefined>(undefined);
export const shownPair = computed(() => Math.min(previewPair.value ?? state.pair.value, pairCount.value - 1));
