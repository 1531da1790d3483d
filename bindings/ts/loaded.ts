/** The modules that functions without an object of their own work in: those that `load()` made last. */

import type { Analysis } from "./analysis/open.js";
import type { Core } from "./module/core.js";
import { failure } from "./module/errors.js";
import type { NativeCore } from "./module/native.js";

export interface Loaded {
  core: Core<NativeCore>;
  /** Undefined unless `load({ analysis: true })`. */
  analysis: Analysis | undefined;
}

let last: Loaded | undefined;

/** A load() without the analysis does not take it away from code that asked for it before. */
export function remember(loaded: Loaded): void {
  if (loaded.analysis !== undefined || last?.analysis === undefined) last = loaded;
}

/** @throws Error before the first `load()` is done. */
export function lastLoaded(fn: string): Loaded {
  if (last === undefined) throw failure("type", fn, "call and await load() first");
  return last;
}
