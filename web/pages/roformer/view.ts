import { computed, signal } from "@preact/signals";
import type { Cell } from "../../components/heat-map.js";
import { run } from "../../model/session.js";
import type { Pair } from "../../rope/pairs.js";
import { channelsOf } from "../../rope/pairs.js";
import { state } from "./state.js";

/** The head that is large, and its cell that is read: hover to preview, click to keep, which puts it into the link. */
export interface HeadPlace {
  readonly layer: number;
  readonly head: number;
}

export const previewHead = signal<HeadPlace | undefined>(undefined);
export const previewCell = signal<Cell | undefined>(undefined);

const within = (value: number, count: number) => Math.max(0, Math.min(value, count - 1));

export const lockedHead = computed<HeadPlace>(() => ({
  layer: within(state.layer.value, run.value?.attentions.length ?? 1),
  head: within(state.head.value, run.value?.heads ?? 1),
}));
export const shownHead = computed(() => previewHead.value ?? lockedHead.value);

export const lockedCell = computed<Cell | undefined>(() => {
  const count = run.value?.tokens.length ?? 0;
  const [from, to] = [state.from.value, state.to.value];
  return from >= 0 && to >= 0 && from < count && to < count ? { row: from, column: to } : undefined;
});
export function lockCell(cell: Cell | undefined): void {
  state.from.value = cell?.row ?? -1;
  state.to.value = cell?.column ?? -1;
}

/** Weights [S, S] of one head: row i is what token i attends to. */
export function weightsOf({ layer, head }: HeadPlace): Float32Array | undefined {
  const current = run.value;
  const size = current ? current.tokens.length ** 2 : 0;
  return current?.attentions[layer]?.subarray(head * size, (head + 1) * size);
}
export const shownWeights = computed(() => weightsOf(shownHead.value));

/** A token, and what it looks at most. */
function mostOf(row: number): Cell {
  const size = run.value?.tokens.length ?? 0;
  const weights = shownWeights.value?.subarray(row * size, (row + 1) * size);
  return { row, column: weights?.length ? weights.indexOf(Math.max(...weights)) : 0 };
}

/** Without a choice, the first mask is read: the question of the page is where its answer comes from. */
export const shownCell = computed<Cell | undefined>(() => {
  const mask = run.value?.masks[0];
  return previewCell.value ?? lockedCell.value ?? (mask === undefined ? undefined : mostOf(mask));
});
/** The pair of tokens whose arrows are drawn. */
export const shownTokens = computed<Cell>(() => shownCell.value ?? mostOf(0));

/** Queries and keys of those two in the large head, a pair of channels each; its part is what it adds to q . k. */
export const arrows = computed<readonly Pair[]>(() => {
  const current = run.value;
  const { layer, head } = shownHead.value;
  const { row, column } = shownTokens.value;
  const queries = current?.rotated.queries[layer];
  if (!current || !queries) return [];
  const d = queries.length / (current.tokens.length * current.heads);
  const at = (values: Float32Array | undefined, token: number) => {
    const first = (token * current.heads + head) * d;
    return values!.subarray(first, first + d);
  };
  const [q, k] = [at(current.plain.queries[layer], row), at(current.plain.keys[layer], column)];
  const [qTurned, kTurned] = [at(queries, row), at(current.rotated.keys[layer], column)];
  return Array.from({ length: d / 2 }, (_, index) => {
    const [a, b] = channelsOf(index, d, "interleaved");
    const theta = current.thetas[index] ?? 0;
    return {
      index,
      channels: [a, b],
      theta,
      wavelength: (2 * Math.PI) / theta,
      q: [q[a]!, q[b]!],
      k: [k[a]!, k[b]!],
      qTurned: [qTurned[a]!, qTurned[b]!],
      kTurned: [kTurned[a]!, kTurned[b]!],
      score: qTurned[a]! * kTurned[a]! + qTurned[b]! * kTurned[b]!,
    };
  });
});

export interface ScoresByDistance {
  /** m - n, query before key where negative. */
  readonly distances: readonly number[];
  readonly means: readonly number[];
  readonly counts: readonly number[];
}

/** Mean score before the softmax over all pairs of tokens at each distance, in the large head. */
export const scoresByDistance = computed<ScoresByDistance | undefined>(() => {
  const { layer, head } = shownHead.value;
  const size = run.value?.tokens.length ?? 0;
  const scores = run.value?.scores[layer]?.subarray(head * size * size, (head + 1) * size * size);
  if (!scores || size === 0) return undefined;
  const distances = Array.from({ length: 2 * size - 1 }, (_, i) => i - size + 1);
  const means = distances.map((distance) => {
    let sum = 0;
    for (let row = Math.max(0, distance); row < Math.min(size, size + distance); row++) {
      sum += scores[row * size + row - distance]!;
    }
    return sum / (size - Math.abs(distance));
  });
  return { distances, means, counts: distances.map((distance) => size - Math.abs(distance)) };
});

export const previewDistance = signal<number | undefined>(undefined);
export const shownDistance = computed(() => {
  const most = Math.max(0, (run.value?.tokens.length ?? 1) - 1);
  return Math.max(-most, Math.min(most, previewDistance.value ?? state.distance.value));
});
