import type { Locator, Page } from "@playwright/test";
import { pageNames } from "./pages.js";
import { expect, openPage, test, textsOf } from "./site.js";

const termsOf = (page: Page, name: string) => page.locator(`#${name}-page .term`);
/** The explanation of a term, which is shown beside it and read after it by a screen reader. */
const meaningOf = async (term: Locator) => term.page().locator(`[id="${await term.getAttribute("aria-describedby")}"]`);

/** How far an element sticks out of its window, in pixels. */
const outside = (element: Locator) =>
  element.evaluate((each) => {
    const { left, right, top, bottom } = each.getBoundingClientRect();
    return Math.max(-left, right - document.documentElement.clientWidth, -top, bottom - innerHeight);
  });
const overlap = async (a: Locator, b: Locator) => {
  const [one, other] = [(await a.boundingBox())!, (await b.boundingBox())!];
  const height = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  const width = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  return Math.max(0, Math.min(height, width));
};

test("a term is explained to the pointer, and the explanation goes with it", async ({ page }) => {
  await openPage(page, "rotate");
  const term = termsOf(page, "rotate").first();
  const meaning = await meaningOf(term);
  await expect(meaning).toBeHidden();
  await term.hover();
  await expect(meaning).toBeVisible();
  await expect(meaning).toContainText("Two channels of a head that rotate together");
  expect(await overlap(term, meaning)).toBe(0);
  await page.mouse.move(2, 2);
  await expect(meaning).toBeHidden();
  // A click keeps it, and another ends it.
  await term.click();
  await page.mouse.move(2, 2);
  await expect(meaning).toBeVisible();
  await term.click();
  await expect(meaning).toBeHidden();
});

test("a term is explained to the keyboard, and Escape closes the explanation", async ({ page }) => {
  await openPage(page, "frequencies");
  const term = termsOf(page, "frequencies").first();
  const meaning = await meaningOf(term);
  await page.locator("#main-content").focus();
  await page.keyboard.press("Tab");
  await expect(term).toBeFocused();
  await expect(term).toHaveAccessibleDescription(/^Two channels of a head/);
  await expect(meaning).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(meaning).toBeHidden();
  await expect(term).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(meaning).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(term).not.toBeFocused();
});

test("a term that leaves the focus takes its explanation along", async ({ page }) => {
  await openPage(page, "frequencies");
  const term = termsOf(page, "frequencies").first();
  await page.locator("#main-content").focus();
  await page.keyboard.press("Tab");
  await expect(await meaningOf(term)).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(await meaningOf(term)).toBeHidden();
});

test.describe("on a phone", () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
  for (const name of pageNames) {
    test(`${name}: a tap explains each term inside the window, and a tap elsewhere ends it`, async ({ page }) => {
      await openPage(page, name);
      const terms = termsOf(page, name);
      const count = await terms.count();
      test.skip(count === 0, "a page without terms");
      for (let i = 0; i < count; i++) {
        const term = terms.nth(i);
        const meaning = await meaningOf(term);
        await term.tap();
        await expect(meaning).toBeVisible();
        await expect(meaning).not.toBeEmpty();
        expect(await outside(meaning)).toBeLessThanOrEqual(0);
        expect(await overlap(term, meaning)).toBe(0);
        // The margin of the page, where nothing else takes the tap.
        await page.touchscreen.tap(6, 420);
        await expect(meaning).toBeHidden();
        await term.tap();
        await expect(meaning).toBeVisible();
        await term.tap();
        await expect(meaning).toBeHidden();
      }
    });
  }
});

test("the words of the field are explained where they are used", async ({ page }) => {
  const said: Readonly<Record<string, readonly string[]>> = {
    rotate: ["pairs"],
    frequencies: ["pairs", "attention scaling"],
    "receptive-field": ["pairs"],
    roformer: ["pair"],
    train: ["nats"],
    "long-context": ["nats"],
    generate: ["nats"],
    speed: ["pair", "ulp"],
  };
  for (const [name, words] of Object.entries(said)) {
    await openPage(page, name as (typeof pageNames)[number]);
    if (name === "speed") await page.getByText("How this is measured").click();
    const found = await textsOf(termsOf(page, name));
    expect([...new Set(found)], name).toEqual(words);
  }
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });
  test("a click still explains a term of the prose", async ({ page }) => {
    // Without a script every page is shown.
    await page.goto("./");
    const term = termsOf(page, "rotate").first();
    await term.click();
    await expect(await meaningOf(term)).toBeVisible();
  });
});
