import { statSync } from "node:fs";
import { visit } from "./newcomer.js";
import { pageNames, picturedAt, tested } from "./pages.js";
import { expect, openPage, test } from "./site.js";

// Makes pictures. It runs only when asked for (playwright.config.ts): ROPEWALK_SCREENSHOTS=1. Those that a document shows
// go into docs/screenshots, the others into build/pictures, which is not in the repository.

/** README is read on slow lines as well. */
const README_BYTES = 100_000;

test("README: a search among texts", async ({ page }) => {
  await page.setViewportSize({ width: 1200, height: 1000 });
  await page.emulateMedia({ colorScheme: "light" });
  await openPage(page, "search", picturedAt("search"));
  const { settled, drawn } = tested.search;
  await expect(page.locator(`#search-page ${settled ?? drawn}`)).toBeAttached();
  const heading = await page.getByRole("heading", { name: "Search by meaning" }).boundingBox();
  const path = "docs/screenshots/search.png";
  await page.screenshot({ path, fullPage: true, clip: { x: 0, y: heading!.y - 8, width: 1200, height: 512 } });
  expect(statSync(path).size).toBeLessThan(README_BYTES);
});

test("the tour: a picture of each moment of a newcomer's visit", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 860 });
  // The names change places in an animation.
  await page.emulateMedia({ reducedMotion: "reduce" });
  await visit(page, async (moment) => {
    await page.screenshot({ path: `docs/screenshots/tour-${moment}.png` });
  });
});

for (const theme of ["light", "dark"] as const) {
  for (const name of pageNames) {
    for (const [width, height] of [
      [390, 844],
      [1440, 1000],
    ] as const) {
      test(`${name}, ${theme}, ${width} px: a picture`, async ({ page }) => {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme: theme });
        await openPage(page, name, picturedAt(name));
        const { settled } = tested[name];
        if (settled) await expect(page.locator(`#${name}-page ${settled}`)).toBeAttached();
        await page.screenshot({ path: `build/pictures/${name}-${theme}-${width}.png`, fullPage: true });
      });
    }
  }
}
