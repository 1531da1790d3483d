import type { Locator } from "@playwright/test";
import { pageNames, tested } from "./pages.js";
import { csvLines, expect, openDistance, openPage, openRoformer, readNumber, saved, test, textsOf } from "./site.js";

/** Without quotes, which these figures' numbers have no need of. */
const cellsOf = async (figure: Locator) => (await csvLines(figure)).map((line) => line.split(","));

/** A page, and of its views that which is not the first. */
const shown = [
  ...pageNames.filter((each) => tested[each].figures !== "none").map((name) => ({ name, view: "" })),
  { name: "receptive-field", view: "picture" },
] as const;
for (const { name, view } of shown) {
  test(`${name}${view && `, ${view}`}: every figure has a text alternative, a table, and is saved as PNG, SVG and CSV`, async ({
    page,
  }) => {
    test.slow();
    await openPage(page, name, view ? `#${name}?view=${view}` : undefined);
    const { settled } = tested[name];
    // While numbers still come in, table and file would not be of the same moment.
    if (settled) await expect(page.locator(`#${name}-page ${settled}`).first()).toBeAttached();
    const figures = page.locator(`#${name}-page figure.figure`);
    expect(await figures.count()).toBeGreaterThan(0);
    for (const figure of await figures.all()) {
      const title = (await figure.getAttribute("aria-label"))!;
      expect(title).toMatch(/\w/);
      const told = figure.locator(".drawing").locator("[role=img], [role=group], [role=radiogroup]").first();
      expect(await told.getAttribute("aria-label")).toMatch(/\w{3}/);

      // One menu, closed at first and the same for every figure; the keyboard opens it and goes on to its buttons.
      const menu = figure.locator(".figure-foot summary");
      await expect(menu).toHaveText("Table and files");
      await expect(menu).toHaveAccessibleName(`Table and files of ${title}`);
      await expect(figure.getByRole("button", { name: /^Save / })).toHaveCount(0);
      await menu.focus();
      await page.keyboard.press("Enter");
      await expect(figure.getByRole("button", { name: `Save ${title} as PNG` })).toBeVisible();
      await page.keyboard.press("Tab");
      await expect(figure.getByRole("button", { name: `Save ${title} as PNG` })).toBeFocused();
      await expect(figure.locator(".figure-foot tbody tr").first()).toBeAttached();

      const svg = (await saved(figure, "SVG")).toString();
      expect(svg).toContain(`<title>${title}</title>`);
      expect(svg).toContain(`>${title}</text>`);
      expect(/<metadata>(.*)<\/metadata>/.exec(svg)![1]).toMatch(new RegExp(`/${name}/`));
      expect(svg).not.toContain("The table below");
      // It stands alone: no class of our stylesheet, nothing to be fetched.
      expect(svg).not.toMatch(/ class=|var\(--|href="(?!data:)/);
      const drawn = await page.evaluate((text) => {
        const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
        return { wrong: parsed.querySelector("parsererror") !== null, marks: parsed.querySelectorAll("*").length };
      }, svg);
      expect(drawn.wrong).toBe(false);
      expect(drawn.marks).toBeGreaterThan(8);

      const png = await saved(figure, "PNG");
      expect(png.subarray(1, 4).toString()).toBe("PNG");
      expect(png.subarray(33, 600).toString()).toMatch(new RegExp(`iTXtSource\\0+http.*/${name}/`));
      const box = (await figure.locator(".drawing").boundingBox())!;
      expect(Math.abs(png.readUInt32BE(16) / 2 - 24 - box.width)).toBeLessThanOrEqual(1);
      // More than paper: an empty picture packs into next to nothing.
      expect(png.length).toBeGreaterThan(3000);

      const [head, ...rows] = await cellsOf(figure);
      expect(head!.length).toBeGreaterThan(1);
      expect(rows.length).toBeGreaterThanOrEqual(await figure.locator(".figure-foot tbody tr").count());
    }
  });
}

test("a saved curve is the one on the page: its numbers in full, its line in the colours of now", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await openDistance(page, "#distance?span=64");
  const figure = page.getByRole("figure", { name: "Score against distance" });
  const [, ...rows] = await cellsOf(figure);
  expect(rows).toHaveLength(257);
  await expect(figure.locator("tbody tr").nth(100)).toBeVisible();
  const shown = await textsOf(figure.locator("tbody tr").nth(100).locator("th, td"));
  for (const [i, cell] of rows[100]!.entries()) expect(readNumber(shown[i]!)).toBeCloseTo(Number(cell), 4);
  expect(rows[100]![1]!.length).toBeGreaterThan(8);

  const line = page.locator(".plot .line.a");
  const svg = (await saved(figure, "SVG")).toString();
  expect(svg).toContain(`d="${await line.getAttribute("d")}"`);
  const colour = await line.evaluate((path) => getComputedStyle(path).stroke);
  expect(svg).toContain(`stroke="${colour}"`);
});

test("a saved heat map holds its pixels, the names of its axes, and every weight", async ({ page }) => {
  await openRoformer(page, "#roformer?layer=1&head=2&from=3&to=4");
  const figure = page.getByRole("figure", { name: "Attention of layer 1, head 2" });
  const svg = (await saved(figure, "SVG")).toString();
  expect(svg).toContain('href="data:image/png;base64,');
  expect(svg).toContain(">captain</text>");
  const [head, ...rows] = await cellsOf(figure);
  expect(rows).toHaveLength(head!.length - 1);
  for (const [, ...weights] of rows) {
    expect(weights.map(Number).reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 4);
  }
});

test("a picture is saved in light colours where that is chosen, with its legend, and the page stays dark", async ({
  page,
}) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await openPage(page, "frequencies");
  const figure = page.getByRole("figure", { name: "Every pair" });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await background();
  const darkPicture = (await saved(figure, "SVG")).toString();
  await figure.getByLabel("Save Every pair in light colours").check();
  const lightPicture = (await saved(figure, "SVG")).toString();
  expect(darkPicture).toContain('fill="rgb(26, 29, 33)"');
  expect(lightPicture).toContain('fill="rgb(255, 255, 255)"');
  for (const name of ["A", "B"]) expect(lightPicture).toContain(`>${name}</text>`);
  expect(await background()).toBe(dark);
});
