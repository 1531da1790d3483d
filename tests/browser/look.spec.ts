import { pageNames, picturedAt } from "./pages.js";
import { axeViolations, COLOUR_RULES, expect, openPage, openRoformer, test } from "./site.js";

for (const theme of ["light", "dark"] as const) {
  for (const name of pageNames) {
    test(`${name}, ${theme}: accessible by axe, with its drawers open`, async ({ page }) => {
      test.slow();
      await page.emulateMedia({ colorScheme: theme });
      await openPage(page, name);
      for (const summary of await page.locator(`#${name}-page summary`).filter({ visible: true }).all())
        await summary.click();
      expect(await axeViolations(page, theme === "light" ? undefined : COLOUR_RULES)).toEqual([]);
    });
  }
}

for (const name of pageNames.filter((each) => each !== "story")) {
  test(`${name}: its first card begins within 200 px of the content’s top, at every width`, async ({ page }) => {
    await openPage(page, name);
    for (const width of [390, 768, 1024, 1440, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      const first = page.locator(`#${name}-page .slot .card`).first();
      const top = () =>
        first.evaluate((card) => card.getBoundingClientRect().top - card.closest("main")!.getBoundingClientRect().top);
      await expect.poll(top, `${width} px`).toBeLessThan(200);
    }
  });
}

for (const name of ["rotate", "encodings", "frequencies", "distance", "receptive-field"] as const) {
  test(`${name}: its first card holds a figure`, async ({ page }) => {
    await openPage(page, name);
    await expect(page.locator(`#${name}-page .slot .card`).first().locator(".figure").first()).toBeVisible();
  });
}

/** Every width at which the page is laid out otherwise, those of common windows, and 320 px less a scrollbar. */
const widths = [305, 320, 361, 375, 390, 577, 640, 768, 900, 960, 1024, 1279, 1280, 1440, 1480, 1536, 1920, 2560];

/** Runs in the page: what sticks out of it, is cut off, or lies over something else. */
function faults(name: string): string[] {
  const found: string[] = [];
  const over = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (over > 0) found.push(`the page is ${over} px too wide`);
  const all = (selector: string) => [...document.querySelectorAll<HTMLElement>(`#${name}-page ${selector}`)];
  const cut = (inner: DOMRect, outer: DOMRect) => inner.left < outer.left - 1 || inner.right > outer.right + 1;
  for (const segments of all(".segments").filter((each) => each.checkVisibility())) {
    const card = segments.closest(".card") ?? document.body;
    if (cut(segments.getBoundingClientRect(), card.getBoundingClientRect())) found.push(segments.innerText);
    for (const label of segments.querySelectorAll("label")) {
      const text = label.querySelector("span")!;
      const outside = cut(label.getBoundingClientRect(), segments.getBoundingClientRect());
      if (outside || text.scrollWidth > text.clientWidth + 1) found.push(`"${label.innerText}" is cut`);
    }
  }
  for (const wide of all(".code-scroll, textarea")) {
    const card = wide.closest(".card");
    if (card && wide.checkVisibility() && cut(wide.getBoundingClientRect(), card.getBoundingClientRect()))
      found.push(`${wide.className || wide.tagName} sticks out of its card`);
  }
  for (const bar of document.querySelectorAll<SVGTextElement>(`#${name}-page .bar-name`)) {
    if (bar.getBBox().x < 0) found.push(`"${bar.textContent}" is cut`);
  }
  // On the narrowest phones it scrolls.
  for (const table of innerWidth < 375 ? [] : all(".encodings-senses .table-scroll")) {
    if (table.scrollWidth > table.clientWidth) found.push("a column of what each encoding can see is hidden");
    if (table.scrollHeight > table.clientHeight) found.push("a row of what each encoding can see is hidden");
  }
  for (const plot of document.querySelectorAll<SVGSVGElement>(`#${name}-page svg.plot`)) {
    const named = [...plot.querySelectorAll<SVGTextElement>(".axis-name")].map((text) => ({
      text: text.textContent,
      box: text.getBoundingClientRect(),
    }));
    const drawing = plot.getBoundingClientRect();
    for (const [i, { text, box }] of named.entries()) {
      if (drawing.width > 0 && cut(box, drawing)) found.push(`the axis' name "${text}" is cut`);
      for (const other of named.slice(i + 1)) {
        const apart = box.right <= other.box.left || other.box.right <= box.left || box.bottom <= other.box.top;
        if (box.width > 0 && !apart && other.box.bottom > box.top) found.push(`"${text}" lies over "${other.text}"`);
      }
    }
  }
  const header = document.querySelector(".site-head")!.getBoundingClientRect().height;
  if (header > 250) found.push(`the header is ${header} px high`);
  const [row, tab] = [".tabs", ".tabs [aria-current]"].map((one) =>
    document.querySelector(one)!.getBoundingClientRect(),
  );
  if (row!.height > 60) found.push("the tabs stand in more than one row");
  if (cut(tab!, row!)) found.push("the current tab is out of sight");
  for (const tab of document.querySelectorAll(".tabs a"))
    if (cut(tab.getBoundingClientRect(), row!)) found.push(`the tab ${tab.textContent} is out of sight`);
  const views = [...document.querySelectorAll<HTMLElement>(".views")].filter((one) => one.checkVisibility());
  if (views.length > 1) found.push("the pages of several tabs are in sight");
  for (const one of views) {
    const view = one.querySelector("[aria-current]")!.getBoundingClientRect();
    if (one.clientHeight > 50) found.push("the pages of the tab stand in more than one row");
    if (cut(view, one.getBoundingClientRect())) found.push("the current page is out of sight");
  }
  const [head, main] = [".theme-slot", "main"].map((one) => document.querySelector(one)!.getBoundingClientRect().right);
  if (innerWidth > 1024 && Math.abs(head! - main!) > 1) found.push("the header does not end where the cards do");
  return found;
}

for (const name of pageNames) {
  test(`${name}: fits windows from ${widths[0]} to ${widths.at(-1)} px, and nothing is cut`, async ({ page }) => {
    await openPage(page, name, picturedAt(name));
    // Scenes of the story show their controls once they are answered.
    for (const guess of await page.locator(`#${name}-page .guess`).all())
      await guess.getByRole("button").first().click();
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      // Drawings follow the width a frame later.
      await expect.poll(() => page.evaluate(faults, name), `${width} px`).toEqual([]);
    }
    for (const summary of await page.locator(`#${name}-page summary`).filter({ visible: true }).all())
      await summary.click();
    for (const width of [320, 390, 768, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await expect.poll(() => page.evaluate(faults, name), `${width} px, drawers open`).toEqual([]);
    }
  });
}

for (const name of pageNames) {
  test(`${name}: on a phone the first control is there without scrolling`, async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await openPage(page, name);
    // The Rope has its controls in the HTML, the others in the slot. A figure’s menu is not what a visitor comes for.
    const controls = page
      .locator(`#${name}-page .card`)
      .locator(":is(button, input, select, textarea):not(.figure-foot *)")
      .filter({ visible: true });
    const { y, height } = (await controls.first().boundingBox())!;
    expect(y + height).toBeLessThan(844);
  });
}

for (const name of ["train", "long-context"] as const) {
  test(`${name}: on a phone the figure follows what begins it`, async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await openPage(page, name);
    const [begin, figure] = [page.locator(`#${name}-page .driving .primary`), page.locator(`#${name}-page .plot`)];
    const [from, to] = [(await begin.boundingBox())!, (await figure.first().boundingBox())!];
    expect(to.y).toBeGreaterThan(from.y);
    // Both fit into one screen.
    expect(to.y + to.height - from.y).toBeLessThan(844);
  });
}

for (const name of ["train", "long-context", "frequencies", "distance", "receptive-field"] as const) {
  test(`${name}: the dashed line of its figure is drawn`, async ({ page }) => {
    await openPage(page, name);
    // A level line has no height, so Playwright never calls it visible.
    await expect
      .poll(() =>
        page
          .locator(`#${name}-page .plot .limit`)
          .first()
          .evaluate((line) => line.checkVisibility()),
      )
      .toBe(true);
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

test("in forced colours the current page and what is chosen are marked", async ({ page }) => {
  await page.emulateMedia({ forcedColors: "active" });
  await openPage(page, "train");
  const looks = (selector: string, property: string) =>
    page
      .locator(selector)
      .evaluateAll((all, name) => all.map((one) => getComputedStyle(one).getPropertyValue(name)), property);
  const lines = await looks(".tabs a", "border-bottom-color");
  const current = await looks(".tabs a[aria-current]", "border-bottom-color");
  expect(lines.filter((line) => line === current[0])).toHaveLength(1);
  const pages = await looks(".views:has([aria-current]) a", "border-bottom-color");
  expect(pages.filter((line) => line === current[0])).toHaveLength(1);
  const chosen = await looks("#train-page .segmented input:checked + span", "background-color");
  const others = await looks("#train-page .segmented input:not(:checked) + span", "background-color");
  expect(chosen.length).toBeGreaterThan(0);
  for (const background of chosen) expect(others).not.toContain(background);
});
