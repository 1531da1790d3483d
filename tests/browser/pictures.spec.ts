import { statSync } from "node:fs";
import { visit } from "./newcomer.js";
import { pageNames, picturedAt, tested } from "./pages.js";
import { expect, openPage, test } from "./site.js";

// Makes pictures. It runs only when asked for (playwright.config.ts): ROPEWALK_SCREENSHOTS=1. Those that a document shows
// go into docs/screenshots, the others into build/pictures, which is not in the repository.

/** README is read on slow lines as well. */
const README_BYTES = 100_000;

// The documentation shows the twin where it is dark itself (tools/site/guide.mjs).
for (const [colorScheme, twin] of [
  ["light", ""],
  ["dark", "-dark"],
] as const)
  test(`README: a search among texts, ${colorScheme}`, async ({ page }) => {
    // So narrow that letters stay readable where the picture is scaled down, and no more than the query and its answers.
    const width = 640;
    await page.setViewportSize({ width, height: 1000 });
    await page.emulateMedia({ colorScheme });
    await openPage(page, "search", picturedAt("search"));
    const { settled, drawn } = tested.search;
    await expect(page.locator(`#search-page ${settled ?? drawn}`)).toBeAttached();
    const top = (await page.locator("#search-page .query").boundingBox())!.y - 12;
    const last = (await page.locator("#search-page .search-result").nth(5).boundingBox())!;
    const path = `docs/screenshots/search${twin}.png`;
    await page.screenshot({
      path,
      fullPage: true,
      clip: { x: 16, y: top, width: width - 32, height: last.y + last.height + 12 - top },
    });
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

/** Chats show previews at this size. */
const [PREVIEW_WIDTH, PREVIEW_HEIGHT] = [1200, 630];
const PREVIEW_BYTES = 60_000;

for (const name of pageNames) {
  test(`${name}: the preview that chats show of a link`, async ({ page, baseURL }) => {
    // As wide as the preview has room, so that nothing is scaled up, and as low, since figures grow with their window.
    await page.setViewportSize({ width: 1080, height: 640 });
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    await openPage(page, name, picturedAt(name));
    const { settled, preview = "figure.figure .drawing" } = tested[name];
    if (settled) await expect(page.locator(`#${name}-page ${settled}`)).toBeAttached();
    const part = page.locator(`#${name}-page ${preview}`).first();
    await expect(part).toBeVisible();
    const figure = (await part.screenshot()).toString("base64");
    const title = await page.locator(`#${name}-title`).innerText();
    const mark = await page.locator(".site-head .mark").evaluate((svg) => svg.outerHTML);
    // Another document: the site's own allows no styles but its own.
    await page.route("**/preview.html", (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `<!doctype html><meta charset="utf-8"><style>
          body { margin: 0; display: grid; grid-template-rows: auto auto 1fr; gap: 18px; box-sizing: border-box; width: 1200px;
            height: 630px; padding: 36px 48px; background: #f7f6f2; color: #1b1d21; font-family: system-ui, sans-serif; }
          header { display: flex; align-items: center; gap: 16px; font-size: 30px; font-weight: 650; }
          .mark { width: 72px; height: 36px; fill: none; stroke: currentcolor; stroke-width: 4.5; stroke-linecap: round; }
          .q { stroke: #0b66a8 } .k { stroke: #b3480a }
          h1 { margin: 0; font-size: 44px; line-height: 1.15; }
          div { min-height: 0; padding: 16px; border: 1px solid #dcd9d0; border-radius: 12px; background: #fff; }
          img { display: block; width: 100%; height: 100%; object-fit: contain; object-position: center top; }
        </style><header>${mark}Ropewalk</header><h1>${title}</h1><div><img src="data:image/png;base64,${figure}"></div>`,
      }),
    );
    await page.setViewportSize({ width: PREVIEW_WIDTH, height: PREVIEW_HEIGHT });
    await page.goto(`${baseURL}preview.html`);
    await page.locator("img").evaluate((image) => (image as HTMLImageElement).decode());
    const path = `web/public/previews/${name}.jpg`;
    await page.screenshot({ path, quality: 70 });
    expect(statSync(path).size).toBeLessThan(PREVIEW_BYTES);
  });
}

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
