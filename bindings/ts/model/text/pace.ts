/** Turns of the event loop between texts, so that a page stays alive and signals are seen. */

/** How long work goes on without a turn. One text comes on top. */
const STRETCH_MS = 8;

/** Timers of pages wait 4 ms, and a second where the page is hidden; messages do not wait. */
function turn(): Promise<void> {
  if (typeof setImmediate === "function") return new Promise((resolve) => setImmediate(resolve));
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

export class Pace {
  #since = performance.now();

  /** To be called after each text. Rejects with the signal's reason. */
  async breathe(signal: AbortSignal | undefined): Promise<void> {
    if (performance.now() - this.#since >= STRETCH_MS) {
      await turn();
      this.#since = performance.now();
    }
    signal?.throwIfAborted();
  }
}
