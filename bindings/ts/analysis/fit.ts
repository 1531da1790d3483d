/** alpha and rho of the receptive-field rule, from the curve that they are to give. */

import { numbersOf } from "../module/arrays.js";
import type { Core } from "../module/core.js";
import { optionsObject, refusal, wholeNumber } from "../module/errors.js";
import type { NativeAnalysis } from "../module/native.js";
import { Scratch } from "../module/scratch.js";

export interface ReceptiveFieldFitOptions {
  /** D, all of which rotates. */
  headDim: number;
  /** Default 10000. */
  base?: number | undefined;
  /** Most steps of the descent; those of the search for starts come on top. Default 240. */
  steps?: number | undefined;
  /** After each slice of some milliseconds, between which the page lives on. `error` is the root mean square. */
  onProgress?: ((step: number, error: number) => void) | undefined;
  /** Aborting rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface ReceptiveFieldFit {
  alpha: number;
  rho: number;
  /** Root of the mean squared difference to the wanted values. */
  error: number;
}

/** A turn of the event loop; timers would wait 4 ms, and much longer in pages that are not seen. */
function nextTurn(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

export async function fitReceptiveField(
  core: Core<NativeAnalysis>,
  wanted: { distances: ArrayLike<number>; values: ArrayLike<number> },
  options: ReceptiveFieldFitOptions,
): Promise<ReceptiveFieldFit> {
  const fn = "fitReceptiveField";
  const { distances, values } = optionsObject(fn, "wanted", wanted);
  const names = ["headDim", "base", "steps", "onProgress", "signal"];
  const { headDim, base = 10000, steps = 240, onProgress, signal } = optionsObject(fn, "options", options, names);
  if (typeof base !== "number") throw refusal("type", fn, "base", base, "a number");
  const dimension = wholeNumber(fn, "headDim", headDim);
  const most = wholeNumber(fn, "steps", steps);
  signal?.throwIfAborted();
  const places = numbersOf(fn, "distances", distances);
  const curve = numbersOf(fn, "values", values);
  const { native } = core;
  const scratch = new Scratch(core, fn);
  let fit: number;
  try {
    const at = scratch.float64("distances", places);
    const to = scratch.float64("values", curve);
    fit = native._ropewalk_fit_make(at, places.length, to, curve.length, dimension, base, most);
  } finally {
    scratch.free();
  }
  if (fit === 0) throw core.failure();
  try {
    for (let done = false; !done; ) {
      const end = performance.now() + 8;
      do done = native._ropewalk_fit_step(fit) !== 0;
      while (!done && performance.now() < end);
      onProgress?.(native._ropewalk_fit_steps_done(fit), native._ropewalk_fit_error(fit));
      if (!done) await nextTurn();
      signal?.throwIfAborted();
    }
    return {
      alpha: native._ropewalk_fit_alpha(fit),
      rho: native._ropewalk_fit_rho(fit),
      error: native._ropewalk_fit_error(fit),
    };
  } finally {
    native._ropewalk_fit_free(fit);
  }
}
