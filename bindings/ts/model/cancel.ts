/** Work that a signal stops. */

/** Rejects with the signal's reason as soon as it aborts; what the work does then, nobody waits for. */
export function unlessAborted<T>(work: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return Promise.resolve(work);
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    const settle = () => signal.removeEventListener("abort", stop);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    Promise.resolve(work).then(resolve, reject).finally(settle);
  });
}

/** Rejects with the signal's own reason: an aborted stream of the platform rejects with another. */
export async function withReason<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await work;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
