import { writeFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { about } from "../../tools/trust/document.mjs";
import { drawnIn, interactiveIn, type PageName, pageNames } from "./pages.js";
import { expect, test } from "./site.js";

/**
 * A measurement, not a test, since all but the layout shifts depend on the machine. late-answers.spec.ts tests the shifts
 * at any speed. It runs only when asked for (playwright.config.ts): ROPEWALK_VITALS=1, one worker.
 */
const path = "docs/web-vitals.md";
test.describe.configure({ mode: "serial" });

interface Vitals {
  /** Milliseconds from the start of the navigation. */
  lcp: number;
  /** Until figures are drawn and controls take what a visitor does, be the first answer a recorded one. */
  interactive: number;
  /** Until what is shown was computed here: the same, but for pages that begin with a recorded answer. */
  own: number;
  /** A share of the window, summed. */
  cls: number;
  /** Milliseconds: the longest task of the page's own thread while it loads; tasks under 50 are not told. */
  task: number;
  /** Milliseconds: the slowest of the interactions below. */
  inp: number;
}

/** Runs in the page before any of its scripts. */
function observe(selectors: { readonly interactive: string; readonly own: string }): void {
  const vitals = { lcp: 0, interactive: 0, own: 0, cls: 0, task: 0, inp: 0 };
  Object.assign(window, { vitals });
  const on = (type: string, each: (entry: PerformanceEntry) => void, more = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({ type, buffered: true, ...more });
  on("largest-contentful-paint", (entry) => {
    vitals.lcp = entry.startTime;
  });
  on("layout-shift", (entry) => {
    const { value, hadRecentInput } = entry as PerformanceEntry & { value: number; hadRecentInput: boolean };
    if (!hadRecentInput) vitals.cls += value;
  });
  on("longtask", ({ startTime, duration }) => {
    if (vitals.own === 0 || startTime < vitals.own) vitals.task = Math.max(vitals.task, duration);
  });
  on(
    "event",
    (entry) => {
      if ((entry as PerformanceEntry & { interactionId: number }).interactionId)
        vitals.inp = Math.max(vitals.inp, entry.duration);
    },
    { durationThreshold: 16 },
  );
  for (const name of ["interactive", "own"] as const) {
    const look = () => {
      if (document.querySelector(selectors[name])) vitals[name] = performance.now();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }
}

/** These begin with recorded results, or none, and compute nothing until they are asked. */
const waiting: readonly PageName[] = ["story", "train", "long-context", "proteins", "doctor"];
/** There once the page shows what it has computed itself; for the pages above, once it is drawn. */
const ownIn = (name: PageName) => (name === "speed" ? "#speed-page .speed[data-finished]" : drawnIn(name));

async function measure(page: Page, name: PageName, slower: number): Promise<Vitals> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: slower });
  await page.addInitScript(observe, { interactive: interactiveIn(name), own: ownIn(name) });
  await page.goto(`./#${name}`);
  await expect(page.locator(ownIn(name)).first()).toBeAttached();
  await page.waitForTimeout(500);
  // A visitor's first actions: opens a drawer, walks through the controls, changes one, chooses another.
  const panel = page.locator(`#${name}-slot`);
  const drawer = panel.locator("summary").first();
  if (await drawer.count()) await drawer.click();
  for (let i = 0; i < 4; i++) await page.keyboard.press("Tab");
  const slider = panel.locator("input[type=range]").first();
  if (await slider.count()) {
    await slider.focus();
    for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
  }
  const choice = panel.locator(".segments label").last();
  if (await choice.count()) await choice.click();
  await page.waitForTimeout(500);
  await cdp.detach();
  return page.evaluate(() => (window as unknown as { vitals: Vitals }).vitals);
}

const rows: string[] = [];
let tried = { commit: "", date: "", machine: "", load: 0 };
test.beforeAll(() => {
  tried = about("vitals");
});

for (const name of pageNames) {
  test(`${name}: web vitals, at full speed and four times slower`, async ({ browser, baseURL }) => {
    test.slow();
    const cells: string[] = [];
    for (const slower of [1, 4]) {
      const context = await browser.newContext({ baseURL, serviceWorkers: "block" });
      const found = await measure(await context.newPage(), name, slower);
      await context.close();
      expect(found.lcp).toBeGreaterThan(0);
      expect(found.interactive).toBeGreaterThan(0);
      const ms = (value: number, least = 16) => (value ? value.toFixed(0) : `under ${least}`);
      cells.push(
        `${ms(found.lcp)} | ${ms(found.interactive)} | ${waiting.includes(name) ? "none" : ms(found.own)} | ${found.cls.toFixed(3)} | ${ms(found.task, 50)} | ${ms(found.inp)}`,
      );
    }
    rows.push(`| ${name} | ${cells.join(" | ")} |`);
  });
}

test.afterAll(() => {
  if (rows.length < pageNames.length) return;
  writeFileSync(
    path,
    `# Web vitals

These times were measured once; no test checks them. Every page of the built site was opened from localhost in headless
Chromium, with an empty cache, at the full speed of the machine and with its processor slowed down four times. Written by
\`ROPEWALK_VITALS=1 npx playwright test --workers=1 vitals\` after \`npm run build:site\`.

All but CLS are milliseconds:

- *LCP* is the largest contentful paint, and *CLS* the sum of all layout shifts, which has no unit.
- *Interactive* is the moment at which the page's figures are drawn and its controls take what a visitor does.
- *Own* is the moment at which the shown result was computed in this visit. Rotate, Frequencies, Distance and Receptive field
  show nothing before it. RoFormer, Encodings, Generate and Search begin with a recorded answer of the same model, which their
  own replaces. The Rope, Train, Long context, Proteins and Doctor compute nothing until they are asked: none.
- *Task* is the longest task of the page's own thread until then, and *INP* the slowest of a dozen interactions.

Proteins counts as interactive once its example sequence is shown. Its model comes from the hub, when the visitor asks for it.
Speed begins with the times of docs/performance.md, and its *own* is the end of its measurement, which takes 0.3 s of warming up
for each of eight loops and 21 samples of each.

| page | LCP | interactive | own | CLS | task | INP | LCP, 4x slower | interactive, 4x | own, 4x | CLS, 4x | task, 4x | INP, 4x |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
${rows.join("\n")}

Commit ${tried.commit}, ${tried.date}. Machine: ${tried.machine}; load average before the run ${tried.load}.
`,
  );
});
