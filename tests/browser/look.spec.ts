import { statSync } from "node:fs";
import { roomNames, walked } from "./rooms.js";
import { axeViolations, expect, openRoformer, openRoom, sidewaysOverflow, test } from "./site.js";

/** The pictures of the documentation are made anew only when asked for: ROPEWALK_SCREENSHOTS=1. */
const pictures = process.env.ROPEWALK_SCREENSHOTS === "1";

for (const theme of ["light", "dark"] as const) {
  for (const room of roomNames) {
    test(`${room}, ${theme}: accessible by axe, also with its drawers open`, async ({ page }) => {
      test.slow();
      await page.emulateMedia({ colorScheme: theme });
      await openRoom(page, room);
      expect(await axeViolations(page)).toEqual([]);
      for (const summary of await page.locator(`#${room}-room summary`).all()) await summary.click();
      expect(await axeViolations(page)).toEqual([]);
    });

    for (const width of [390, 1440]) {
      test(`${room}, ${theme}, ${width} px: nothing sticks out sideways`, async ({ page }) => {
        await page.setViewportSize({ width, height: width === 390 ? 844 : 1000 });
        await page.emulateMedia({ colorScheme: theme });
        await openRoom(page, room, walked[room].pictured);
        expect(await sidewaysOverflow(page)).toBeLessThanOrEqual(0);
        if (pictures) {
          const { pressed, settled } = walked[room];
          if (pressed) await page.getByRole("button", { name: pressed, exact: true }).click();
          if (settled) await expect(page.locator(`#${room}-room ${settled}`)).toBeAttached({ timeout: 120_000 });
          const path = `docs/screenshots/${room}-${theme}-${width}.png`;
          await page.screenshot({ path, fullPage: true });
          expect(statSync(path).size).toBeLessThan(500_000);
        }
      });
    }
  }
}

for (const width of [320, 600, 800, 1000, 1200, 1920]) {
  test(`${width} px: every room fits`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 });
    for (const room of roomNames) {
      await openRoom(page, room);
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
