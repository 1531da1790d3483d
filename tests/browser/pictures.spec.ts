import { statSync } from "node:fs";
import { visit } from "./newcomer.js";
import { pageNames, picturedAt, tested } from "./pages.js";
import { expect, openPage, test } from "./site.js";

/** Makes the pictures of the documentation. It runs only when asked for (playwright.config.ts): ROPEWALK_SCREENSHOTS=1. */
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
        const path = `docs/screenshots/${name}-${theme}-${width}.png`;
        await page.screenshot({ path, fullPage: true });
        expect(statSync(path).size).toBeLessThan(600_000);
      });
    }
  }
}

test("the tour: a picture of each moment of a newcomer's visit", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 860 });
  // The names change places in an animation.
  await page.emulateMedia({ reducedMotion: "reduce" });
  await visit(page, async (moment) => {
    await page.screenshot({ path: `docs/screenshots/tour-${moment}.png` });
  });
});
