import { statSync } from "node:fs";
import { pageNames, picturedAt, tested } from "./pages.js";
import { axeViolations, expect, openPage, openRoformer, sidewaysOverflow, test } from "./site.js";

/** The pictures of the documentation are made anew only when asked for: ROPEWALK_SCREENSHOTS=1. */
const pictures = process.env.ROPEWALK_SCREENSHOTS === "1";

for (const theme of ["light", "dark"] as const) {
  for (const name of pageNames) {
    test(`${name}, ${theme}: accessible by axe, also with its drawers open`, async ({ page }) => {
      test.slow();
      await page.emulateMedia({ colorScheme: theme });
      await openPage(page, name);
      expect(await axeViolations(page)).toEqual([]);
      for (const summary of await page.locator(`#${name}-page summary`).all()) await summary.click();
      expect(await axeViolations(page)).toEqual([]);
    });

    for (const width of [390, 1440]) {
      test(`${name}, ${theme}, ${width} px: nothing sticks out sideways`, async ({ page }) => {
        await page.setViewportSize({ width, height: width === 390 ? 844 : 1000 });
        await page.emulateMedia({ colorScheme: theme });
        await openPage(page, name, picturedAt(name));
        expect(await sidewaysOverflow(page)).toBeLessThanOrEqual(0);
        if (pictures) {
          const { pressed, settled } = tested[name];
          if (pressed) await page.getByRole("button", { name: pressed, exact: true }).click();
          if (settled) await expect(page.locator(`#${name}-page ${settled}`)).toBeAttached({ timeout: 120_000 });
          const path = `docs/screenshots/${name}-${theme}-${width}.png`;
          await page.screenshot({ path, fullPage: true });
          expect(statSync(path).size).toBeLessThan(500_000);
        }
      });
    }
  }
}

for (const width of [320, 600, 800, 1000, 1200, 1920]) {
  test(`${width} px: every page fits`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 });
    for (const name of pageNames) {
      await openPage(page, name);
      expect(await sidewaysOverflow(page)).toBeLessThanOrEqual(0);
    }
  });
}

test("the switch overrules the system’s theme, is kept, and repaints the heat maps", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await openRoformer(page);
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const corner = () =>
    page
      .locator(".head canvas")
      .first()
      .evaluate((canvas) => (canvas as HTMLCanvasElement).getContext("2d")!.getImageData(0, 0, 1, 1).data.join());
  const [light, lightCorner] = [await background(), await corner()];
  await page.getByRole("radio", { name: "Dark" }).check({ force: true });
  expect(await background()).not.toBe(light);
  await expect.poll(corner).not.toBe(lightCorner);
  await page.reload();
  expect(await background()).not.toBe(light);
});
