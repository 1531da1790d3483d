import { batch, computed, signal } from "@preact/signals";
import type { ReceptiveFieldFit } from "ropewalk";
import { messageOf } from "../../text/message.js";
import { span } from "./model.js";
import { state } from "./state.js";
import { wantedCurve } from "./wanted.js";
import { worker } from "./worker.js";

export const wanted = computed(() => wantedCurve(state.wanted.value, span.value));

/** Steps that the fit has done; undefined when it does not run. */
export const fitting = signal<number | undefined>(undefined);
export const fitted = signal<ReceptiveFieldFit | undefined>(undefined);
export const fitFailure = signal("");
let controller: AbortController | undefined;

/** The worker stops after its next step. The page does not wait for that. */
export function cancelFit(): void {
  controller?.abort();
  controller = undefined;
  fitting.value = undefined;
}

/** Finds alpha and rho in the worker, and sets them. */
export async function fit(): Promise<void> {
  cancelFit();
  const mine = new AbortController();
  controller = mine;
  batch(() => {
    fitFailure.value = "";
    fitted.value = undefined;
    fitting.value = 0;
  });
  const values = wanted.peek();
  const question = {
    distances: Float64Array.from(values, (_, n) => n),
    values,
    headDim: state.d.peek(),
    base: Number(state.base.peek()),
  };
  try {
    const found = await worker().call("fit", question, {
      signal: mine.signal,
      onProgress: (step) => {
        if (controller === mine) fitting.value = step;
      },
    });
    if (controller !== mine) return;
    const onGrid = (value: number) => Math.round(value * 10000) / 10000;
    batch(() => {
      fitted.value = found;
      state.alpha.value = onGrid(found.alpha);
      state.rho.value = onGrid(found.rho);
    });
  } catch (error) {
    if (controller === mine && !mine.signal.aborted) fitFailure.value = messageOf(error);
  } finally {
    if (controller === mine) fitting.value = undefined;
  }
}
