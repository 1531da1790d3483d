import { pageNames, tested } from "./pages.js";
import { expect, openPage, test } from "./site.js";

/** How long the page waits for its library, and for each of a worker's first answers: far longer than any of them takes. */
const LATE = 1000;
const LATE_ANSWERS = 3;

interface Observed {
  readonly shift: number;
  readonly moved: readonly string[];
  /** Texts with a number that is none. */
  readonly meaningless: readonly string[];
}

/** Runs in the page before its scripts: workers hear the first questions late, and what moves is noted, and what is no number. */
function observe([late, count]: readonly [number, number]): void {
  const observed = { shift: 0, moved: [] as string[], meaningless: [] as string[] };
  Object.assign(window, { observed });
  new PerformanceObserver((list) => {
    for (const each of list.getEntries()) {
      const { value, sources } = each as PerformanceEntry & { value: number; sources: { node: Element | null }[] };
      observed.shift += value;
      observed.moved.push(...sources.map(({ node }) => `${node?.nodeName} ${node?.getAttribute?.("class") ?? ""}`));
    }
  }).observe({ type: "layout-shift", buffered: true });
  setInterval(() => {
    const shown = [...document.querySelectorAll<HTMLElement>("main p, main strong, main td, main text")];
    const wrong = shown.filter((each) => /NaN|Infinity|undefined/.test(each.textContent) && each.checkVisibility());
    observed.meaningless.push(...wrong.map((each) => each.textContent));
  }, 100);
  window.Worker = class extends Worker {
    #asked = 0;
    override postMessage(...message: unknown[]): void {
      const send = () => (super.postMessage as (...all: unknown[]) => void)(...message);
      this.#asked += 1;
      if (this.#asked <= count) setTimeout(send, late);
      else send();
    }
  };
}

for (const [width, height] of [
  [390, 844],
  [1280, 720],
] as const) {
  for (const name of pageNames) {
    test(`${name}, ${width} px: nothing moves or lacks its number when library and workers answer late`, async ({
      page,
    }) => {
      await page.setViewportSize({ width, height });
      await page.addInitScript(observe, [LATE, LATE_ANSWERS] as const);
      await page.route(/\/lib\/[\w-]+\.js$|\.wasm$/, async (route) => {
        await new Promise((resolve) => setTimeout(resolve, LATE));
        await route.continue();
      });
      await openPage(page, name);
      const { answered } = tested[name];
      if (answered) await expect(page.locator(`#${name}-page ${answered}`)).toBeAttached();
      // Two frames, so that what came last has been drawn and noted.
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      const { shift, moved, meaningless } = await page.evaluate(
        () => (window as unknown as { observed: Observed }).observed,
      );
      expect(shift, moved.join(", ")).toBeLessThan(0.02);
      expect(meaningless).toEqual([]);
    });
  }
}
