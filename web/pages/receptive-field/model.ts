import { computed, effect, signal } from "@preact/signals";
import type { RopeOptions } from "ropewalk";
import { ask } from "../../library/ask.js";
import { analyst } from "../../library/library.js";
import { makeVectors } from "../../rope/vectors.js";
import { shownPage } from "../../state/address.js";
import { messageOf } from "../../text/message.js";
import { state } from "./state.js";
import { worker } from "./worker.js";

export const span = computed(() => Number(state.span.value));
export const optionsAt = (alpha: number, rho: number): RopeOptions => ({
  headDim: state.d.value,
  frequencies: { type: "receptive-field", base: Number(state.base.value), alpha, rho },
});
export const options = computed(() => optionsAt(state.alpha.value, state.rho.value));

effect(() => {
  if (state.at.value > span.value) state.at.value = span.value;
});

export const vectors = computed(() => makeVectors(state.vectors.value, state.seed.value, state.d.value));

/** Distance between two points of a curve. Short spans have four per position, or the fastest pair would look jagged. */
export const step = computed(() => (span.value <= 64 ? 0.25 : span.value <= 256 ? 0.5 : 1));
const distances = computed(() => Float64Array.from({ length: span.value / step.value + 1 }, (_, i) => i * step.value));

/** The score and its parts, at every distance. */
export const parts = computed(() =>
  ask(options.value, (rope) => {
    const { q, k } = vectors.value;
    const { score, inPhase, quadrature, phi } = rope.score(q, k, distances.value);
    const envelope = inPhase.map((a, i) => Math.hypot(a, quadrature[i]!));
    return { distances: distances.value, score, inPhase, quadrature, envelope, phi };
  }),
);

/** theta_j of plain RoPE, and theta*_j. */
export const thetas = computed(() => {
  const changed = ask(options.value, (rope) => rope.frequencies)?.found;
  const plain = ask(optionsAt(0, state.rho.value), (rope) => rope.frequencies)?.found;
  return changed && plain && { plain, changed };
});

/** The mean kernel: the score of equal vectors, which the fit brings near to the wanted curve. */
export const kernel = computed(() =>
  ask(options.value, (rope) => {
    const { q, k } = makeVectors("ones", 1, state.d.value);
    const whole = Float64Array.from({ length: span.value + 1 }, (_, n) => n);
    return rope.score(q, k, whole).score;
  }),
);

// Rows of the heat map: alpha from 0 to 1, or rho from 0 to 2.
export const rowCount = 41;
export const columnCount = 129;
export const rowValue = (row: number) => (row * (state.rows.value === "alpha" ? 1 : 2)) / (rowCount - 1);
export const columnDistance = (column: number) => (column * span.value) / (columnCount - 1);
export const columnOf = (distance: number) => Math.round((distance * (columnCount - 1)) / span.value);
export const rowOf = computed(() => {
  const last = rowCount - 1;
  return state.rows.value === "alpha"
    ? Math.round(state.alpha.value * last)
    : Math.min(last, Math.round((state.rho.value * last) / 2));
});

/** True from the task after the curves' first: the map asks as many ropes as it has rows, and the curves need not wait. */
const mapMayAsk = signal(false);
effect(() => {
  if (analyst.value) setTimeout(() => (mapMayAsk.value = true));
});

/** a*(n) [rows, columns]: the score at each distance, for each alpha or rho. */
export const field = computed(() => {
  if (!mapMayAsk.value) return undefined;
  const { q, k } = vectors.value;
  const at = Float64Array.from({ length: columnCount }, (_, column) => columnDistance(column));
  const values = new Float64Array(rowCount * columnCount);
  for (let row = 0; row < rowCount; row++) {
    const value = rowValue(row);
    const asked =
      state.rows.value === "alpha" ? optionsAt(value, state.rho.value) : optionsAt(state.alpha.value, value);
    const found = ask(asked, (rope) => rope.score(q, k, at).score)?.found;
    if (found) values.set(found, row * columnCount);
  }
  return values;
});
export const fieldSize = computed(() => {
  let most = 1e-9;
  for (const value of field.value ?? []) most = Math.max(most, Math.abs(value));
  return most;
});

/** Hover to preview, click to keep: `at` is the locked distance. */
export const previewAt = signal<number | undefined>(undefined);
export const shownAt = computed(() => Math.min(previewAt.value ?? state.at.value, span.value));

/**
 * The answer of the check of the Hilbert pair. The worker is asked once the sliders rest, and not before this thread has its
 * library: the worker loads one too, and the two would compete for the processor while the visitor waits for the figures.
 */
export const hilbert = signal<{ error: number; bound: number; holds: boolean } | { refused: string } | undefined>(
  undefined,
);
let asked = 0;
effect(() => {
  if (shownPage.value !== "receptive-field" || !analyst.value) return;
  const question = {
    options: options.value,
    ...vectors.value,
    distances: [0, 1, 2, 5, 13, 34, span.value / 2, span.value],
  };
  const mine = ++asked;
  hilbert.value = undefined;
  const timer = setTimeout(async () => {
    try {
      const check = await worker().call("hilbert", question);
      if (mine === asked) hilbert.value = check;
    } catch (error) {
      if (mine === asked) hilbert.value = { refused: messageOf(error) };
    }
  }, 250);
  return () => clearTimeout(timer);
});
