import type { Page } from "@playwright/test";

declare global {
  interface Window {
    letWorkersHear(more: number): void;
  }
}

/** Runs in the page before its scripts: a worker hears as many messages as it is allowed, the rest wait. */
function hold(first: number): void {
  const all: { hear(more: number): void }[] = [];
  let allowed = first;
  window.letWorkersHear = (more) => {
    allowed += more;
    for (const worker of all) worker.hear(more);
  };
  window.Worker = class extends Worker {
    #allowed = allowed;
    readonly #waiting: unknown[][] = [];
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options);
      all.push(this);
    }
    override postMessage(...message: unknown[]): void {
      this.#waiting.push(message);
      this.hear(0);
    }
    hear(more: number): void {
      this.#allowed += more;
      for (; this.#allowed > 0 && this.#waiting.length > 0; this.#allowed--) {
        (super.postMessage as (...all: unknown[]) => void)(...this.#waiting.shift()!);
      }
    }
  };
}

/**
 * Work that is under way stays so, however slow the test is: each worker hears the first `count` messages, and further
 * ones when letWorkersHear() allows them.
 */
export const holdWorkers = (page: Page, count: number) => page.addInitScript(hold, count);

/** Workers that are made from now on hear nothing until letWorkersHear(). */
export const holdWorkersFromNow = (page: Page) => page.evaluate(hold, 0);

export const letWorkersHear = (page: Page, more = Number.POSITIVE_INFINITY) =>
  page.evaluate((count) => window.letWorkersHear(count), more);
