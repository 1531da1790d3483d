import { computed, signal } from "@preact/signals";
import type { Cell } from "../components/heat-map.js";
import { state } from "../state.js";
import { run } from "./session.js";

/** Which head is large and which of its cells is read: hover previews, a click locks (and then stands in the link). */
export interface HeadPlace {
  readonly layer: number;
  readonly head: number;
}

export const previewHead = signal<HeadPlace | undefined>(undefined);
export const previewCell = signal<Cell | undefined>(undefined);

const within = (value: number, count: number) => Math.max(0, Math.min(value, count - 1));

export const lockedHead = computed<HeadPlace>(() => ({
  layer: within(state.roformer.layer.value, run.value?.attentions.length ?? 1),
  head: within(state.roformer.head.value, run.value?.heads ?? 1),
}));
export const shownHead = computed(() => previewHead.value ?? lockedHead.value);

export const lockedCell = computed<Cell | undefined>(() => {
  const count = run.value?.tokens.length ?? 0;
  const [from, to] = [state.roformer.from.value, state.roformer.to.value];
  return from >= 0 && to >= 0 && from < count && to < count ? { row: from, column: to } : undefined;
});
export const shownCell = computed(() => previewCell.value ?? lockedCell.value);

export function lockCell(cell: Cell | undefined): void {
  state.roformer.from.value = cell?.row ?? -1;
  state.roformer.to.value = cell?.column ?? -1;
}

/** Weights [S, S] of one head: row i is what token i attends to. */
export function weightsOf({ layer, head }: HeadPlace): Float32Array | undefined {
  const current = run.value;
  const size = current ? current.tokens.length ** 2 : 0;
  return current?.attentions[layer]?.subarray(head * size, (head + 1) * size);
}
export const shownWeights = computed(() => weightsOf(shownHead.value));
