import { effect, signal } from "@preact/signals";

/**
 * Long work of some pages, and pages that measure times: both run in workers, so each would slow the other. Work that
 * goes on in pieces waits while somebody measures, and a measurement waits for the pieces that are under way.
 */
const pieces = signal(0);
const measurements = signal(0);

/** While true, work waits. */
export const isMeasuring = () => measurements.value > 0;

/** Resolves once the condition, which reads signals, holds. */
function until(holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (!holds()) return;
      queueMicrotask(() => {
        stop();
        resolve();
      });
    });
  });
}

/** One piece of long work; it begins when nobody measures. */
export async function piece<T>(work: () => Promise<T>): Promise<T> {
  while (measurements.peek() > 0) await until(() => measurements.value === 0);
  pieces.value = pieces.peek() + 1;
  try {
    return await work();
  } finally {
    pieces.value = pieces.peek() - 1;
  }
}

/** A measurement; it begins when the pieces under way are done. */
export async function alone<T>(measure: () => Promise<T>): Promise<T> {
  measurements.value = measurements.peek() + 1;
  try {
    await until(() => pieces.value === 0);
    return await measure();
  } finally {
    measurements.value = measurements.peek() - 1;
  }
}
