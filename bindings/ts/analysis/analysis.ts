/**
 * Effects of a rope on attention, in float64. A distance is m_query - m_key; it may be negative and fractional, and is
 * the same on each of several position axes. `rope` is the options of the rope as JSON text.
 */

import { numbersOf } from "../module/arrays.js";
import type { Core } from "../module/core.js";
import { optionsObject, refusal, wholeNumber } from "../module/errors.js";
import type { NativeAnalysis } from "../module/native.js";
import { Scratch } from "../module/scratch.js";
import type { HeadChoice, HilbertCheck, ReceptiveFieldQuestion, Score, Turns } from "../rope/analysis.js";

function headOf(fn: string, options: HeadChoice, names: readonly string[] = []): number {
  return wholeNumber(fn, "head", optionsObject(fn, "options", options, ["head", ...names]).head ?? 0);
}

/** The caller's arrays, all read before any of them is placed. */
function listsOf<Name extends string>(fn: string, lists: Record<Name, ArrayLike<number>>): Record<Name, Float64Array> {
  const entries = Object.entries<ArrayLike<number>>(lists);
  return Object.fromEntries(entries.map(([name, values]) => [name, numbersOf(fn, name, values)])) as never;
}

/** Copies the options of the rope and arrays in, and `size` float64 results out. */
function computed(
  core: Core<NativeAnalysis>,
  fn: string,
  rope: string,
  arrays: Record<string, Float64Array>,
  size: number,
  call: (rope: readonly [number, number], addresses: number[], out: number) => number,
): Float64Array {
  const scratch = new Scratch(core, fn);
  try {
    const addresses = Object.entries(arrays).map(([name, values]) => scratch.float64(name, values));
    const out = scratch.allocate("the result", size * 8);
    const code = core.withText(fn, "`rope`", rope, (...placed) => call(placed, addresses, out));
    if (code !== 0) throw core.failure();
    return core.float64(out, size).slice();
  } finally {
    scratch.free();
  }
}

export function decay(
  core: Core<NativeAnalysis>,
  rope: string,
  distances: ArrayLike<number>,
  options: HeadChoice,
): Float64Array {
  const head = headOf("decay", options);
  const list = numbersOf("decay", "distances", distances);
  const count = list.length;
  return computed(core, "decay", rope, { distances: list }, count, (placed, [at], out) =>
    core.native._ropewalk_decay(...placed, head, at!, count, out),
  );
}

export function score(
  core: Core<NativeAnalysis>,
  rope: string,
  q: ArrayLike<number>,
  k: ArrayLike<number>,
  distances: ArrayLike<number>,
  options: HeadChoice,
): Score {
  const head = headOf("score", options);
  const lists = listsOf("score", { q, k, distances });
  const count = lists.distances.length;
  const values = computed(core, "score", rope, lists, 3 * count + 2, (placed, [qAt, kAt, at], out) =>
    core.native._ropewalk_score(...placed, head, at!, count, qAt!, lists.q.length, kAt!, lists.k.length, out),
  );
  return {
    score: values.slice(0, count),
    inPhase: values.slice(count, 2 * count),
    quadrature: values.slice(2 * count, 3 * count),
    phi: values[3 * count]!,
    unrotated: values[3 * count + 1]!,
  };
}

export function hilbertError(
  core: Core<NativeAnalysis>,
  rope: string,
  q: ArrayLike<number>,
  k: ArrayLike<number>,
  distances: ArrayLike<number>,
  options: HeadChoice,
): HilbertCheck {
  const head = headOf("hilbertError", options);
  const lists = listsOf("hilbertError", { q, k, distances });
  const { length } = lists.distances;
  const [error = 0, bound = 0] = computed(core, "hilbertError", rope, lists, 3, (placed, [qAt, kAt, at], out) =>
    core.native._ropewalk_hilbert_error(...placed, head, at!, length, qAt!, lists.q.length, kAt!, lists.k.length, out),
  );
  return { error, bound, holds: error <= bound };
}

export function turns(core: Core<NativeAnalysis>, rope: string, context: number, frequencyCount: number): Turns {
  if (typeof context !== "number") throw refusal("type", "turns", "context", context, "a number");
  const turned = computed(core, "turns", rope, {}, frequencyCount, (placed, _, out) =>
    core.native._ropewalk_turns(...placed, context, out),
  );
  return { turns: turned, incomplete: [...turned.keys()].filter((i) => turned[i]! < 1) };
}

export function effectiveReceptiveField(
  core: Core<NativeAnalysis>,
  rope: string,
  options: ReceptiveFieldQuestion,
): number {
  const fn = "effectiveReceptiveField";
  const head = headOf(fn, options, ["threshold", "limit"]);
  const { threshold = 0.5, limit = 131072 } = options;
  for (const [name, value] of Object.entries({ threshold, limit })) {
    if (typeof value !== "number") throw refusal("type", fn, name, value, "a number");
  }
  return computed(core, fn, rope, {}, 1, (placed, _, out) =>
    core.native._ropewalk_effective_receptive_field(...placed, head, threshold, limit, out),
  )[0]!;
}
