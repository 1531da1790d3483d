import { fitReceptiveField, load } from "ropewalk";
import { optionsOf } from "../../web/pages/receptive-field/axes.js";
import { presets, wantedCurve } from "../../web/pages/receptive-field/wanted.js";
import { makeVectors } from "../../web/rope/vectors.js";
import {
  axeViolations,
  cellsOf,
  csvLines,
  expect,
  openReceptiveField,
  readNumber,
  sidewaysOverflow,
  test,
  textOf,
  textsOf,
} from "./site.js";

const ropewalk = await load({ analysis: true });
const ropeOf = (headDim: number, base: number, alpha: number, rho: number) =>
  ropewalk.rope({ headDim, frequencies: { type: "receptive-field", base, alpha, rho } });

test("score, a′, b′, envelope, φ and the Hilbert check are the library’s", async ({ page }) => {
  await openReceptiveField(page, "#receptive-field?d=32&base=1000&alpha=0.4&rho=0.75&vectors=related&seed=7&at=21");
  using rope = ropeOf(32, 1000, 0.4, 0.75);
  const { q, k } = makeVectors("related", 7, 32);
  const { score, inPhase, quadrature, phi } = rope.score(q, k, [21]);
  const [, a, inner, outer, envelope] = await textsOf(page.locator("#field-at ~ .cursor-values strong"));
  expect(readNumber(a!)).toBeCloseTo(score[0]!, 4);
  expect(readNumber(inner!)).toBeCloseTo(inPhase[0]!, 4);
  expect(readNumber(outer!)).toBeCloseTo(quadrature[0]!, 4);
  expect(readNumber(envelope!)).toBeCloseTo(Math.hypot(inPhase[0]!, quadrature[0]!), 4);
  expect(readNumber(await textOf(page.locator("#field-phi"))) / phi).toBeCloseTo(1, 3);
  expect(rope.hilbertError(q, k, [0, 1, 2, 256]).holds).toBe(true);
  await expect(page.locator("#field-hilbert")).toHaveText(/^Largest difference /);

  const pairs = page.getByRole("figure", { name: "Frequency of every pair" });
  await pairs.getByText("Table and files").click();
  await expect(pairs.locator("tbody tr")).toHaveCount(rope.frequencies.length);
  const thetas = await textsOf(pairs.locator("tbody td:nth-child(3)"));
  for (const [j, theta] of rope.frequencies.entries()) expect(readNumber(thetas[j]!) / theta).toBeCloseTo(1, 3);
});

test("formulas are set alike on the first visit and on the second", async ({ browser, baseURL }) => {
  test.slow();
  // The font is optional: a machine that is busy at that moment sets formulas without it, whichever visit it is. Visitors who
  // come for the first time are sent until one finds it in time twice.
  await expect(async () => {
    const visitor = await browser.newContext({ baseURL: baseURL! });
    try {
      const page = await visitor.newPage();
      const sizes = () =>
        page.locator("#receptive-field-page math").evaluateAll((all) =>
          all.map((one) => {
            const { width, height } = one.getBoundingClientRect();
            return [Math.round(width), Math.round(height)];
          }),
        );
      await openReceptiveField(page);
      const first = await sizes();
      await page.reload();
      await expect(page.locator("#receptive-field-page math").nth(5)).toBeVisible();
      await expect.poll(sizes, { timeout: 5000 }).toEqual(first);
      // Not because the font was missing both times.
      expect(await page.evaluate(() => document.fonts.check("16px Maths"))).toBe(true);
    } finally {
      await visitor.close();
    }
  }).toPass();
});

test("at α = 1 nothing is left to transform, and the check says so", async ({ page }) => {
  await openReceptiveField(page, "#receptive-field?alpha=1&vectors=random");
  await expect(page.locator("#field-hilbert")).toHaveText(/^They differ by up to /);
});

test("the map holds the library’s score for every α or ρ; arrow keys walk, and set what they read", async ({
  page,
}) => {
  await openReceptiveField(page, "#receptive-field?d=16&alpha=0.5&rho=0.4&at=64");
  const map = page.getByRole("group", { name: /^Score over distance/ });
  const one = makeVectors("ones", 1, 16).q;
  const shown = async () => readNumber(await textOf(page.locator("#field-value")));
  using first = ropeOf(16, 10000, 0.5, 0.4);
  expect(await shown()).toBeCloseTo(first.score(one, one, [64]).score[0]!, 4);
  await map.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("spinbutton", { name: "α, how much is shared, exactly" })).toHaveValue("0.525");
  await expect(page.getByRole("slider", { name: "distance" })).toHaveValue("66");
  using second = ropeOf(16, 10000, 0.525, 0.4);
  expect(await shown()).toBeCloseTo(second.score(one, one, [66]).score[0]!, 4);
  await page.getByRole("radio", { name: "ρ from 0 to 2" }).check({ force: true });
  await expect(page.locator("#receptive-field-page .reading")).toContainText("ρ = 0.400");
  await map.click({ position: { x: 2, y: 2 } });
  await expect(page.getByRole("spinbutton", { name: "ρ, how slow it is, exactly" })).toHaveValue("0");
});

test("hover previews a cell, and leaves what is locked", async ({ page }) => {
  await openReceptiveField(page);
  const reading = page.locator("#receptive-field-page .reading");
  const before = await textOf(reading);
  await page.getByRole("group", { name: /^Score over distance/ }).hover({ position: { x: 40, y: 40 } });
  await expect(reading).not.toHaveText(before);
  await page.getByRole("heading", { name: "From local to global" }).hover();
  await expect(reading).toHaveText(before);
});

test("the fit is the library’s, and sets α and ρ", async ({ page }) => {
  await openReceptiveField(page, "#receptive-field?d=16&span=64");
  await page.getByRole("button", { name: "global" }).click();
  await page.getByRole("button", { name: "Find α and ρ" }).click();
  const values = wantedCurve(presets.global, 64);
  const found = await fitReceptiveField({ distances: values.map((_, n) => n), values }, { headDim: 16 });
  await expect(page.locator("#fit-status")).toHaveText(
    `α = ${found.alpha.toFixed(4)}, ρ = ${found.rho.toFixed(4)}: off by ${found.error.toFixed(4)} (root mean square)`,
  );
  const box = page.getByRole("spinbutton", { name: "α, how much is shared, exactly" });
  expect(Number(await box.inputValue())).toBeCloseTo(found.alpha, 4);
  await expect(page).toHaveURL(/alpha=.*rho=.*wanted=/);
});

test("a long search shows that it runs, and can be cancelled", async ({ page }) => {
  await openReceptiveField(page, "#receptive-field?d=256&span=1024");
  await page.getByRole("button", { name: "Find α and ρ" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("button", { name: "Find α and ρ" })).toBeVisible();
  await expect(page.locator("#fit-status")).toHaveText("");
  await expect(page.getByRole("spinbutton", { name: "α, how much is shared, exactly" })).toHaveValue("0.3");
});

test("the wanted curve is drawn by the pointer and typed; the link restores it", async ({ page }) => {
  await openReceptiveField(page);
  const boxes = page.getByRole("group", { name: "wanted score at distance" }).getByRole("spinbutton");
  const values = () => boxes.evaluateAll((all) => all.map((box) => Number((box as HTMLInputElement).value)));
  await page.locator(".paper").scrollIntoViewIfNeeded();
  const at = (await page.locator(".paper").boundingBox())!;
  // From the middle of the left edge to a quarter below the top at the right.
  await page.mouse.move(at.x + 1, at.y + at.height / 2);
  await page.mouse.down();
  for (let i = 1; i <= 20; i++) {
    await page.mouse.move(at.x + (at.width * i) / 20 - 1, at.y + at.height * (0.5 - (0.25 * i) / 20));
  }
  await page.mouse.up();
  const drawn = await values();
  expect(drawn.every((value, i) => i === 0 || value >= drawn[i - 1]! - 0.02)).toBe(true);
  expect(drawn[7]!).toBeGreaterThan(0.45);
  expect(drawn[7]!).toBeLessThan(0.55);
  await boxes.nth(2).fill("-0.35");
  await boxes.nth(2).blur();
  await expect(page).toHaveURL(/wanted=[^&]*_-0\.35_/);
  const typed = await values();
  expect(typed[2]).toBe(-0.35);
  await page.reload();
  await expect.poll(values).toEqual(typed);
  await expect(page.locator("#notes-slot")).toBeEmpty();
});

test("all digits of α and ρ that the fit finds are to be seen in their boxes", async ({ page }) => {
  await openReceptiveField(page);
  await page.getByRole("button", { name: "local", exact: true }).click();
  await page.getByRole("button", { name: "Find α and ρ" }).click();
  await expect(page.locator("#fit-status")).toContainText("off by");
  const boxes = page.locator("#receptive-field-page .slider input[type=number]");
  expect(await boxes.count()).toBeGreaterThan(1);
  for (const box of await boxes.all()) {
    const [value, room, needed] = await box.evaluate((input: HTMLInputElement) => {
      const style = getComputedStyle(input);
      const pen = document.createElement("canvas").getContext("2d")!;
      pen.font = style.font;
      const inner = input.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
      // Room for the arrows that the browser puts beside a number.
      return [input.value, inner - 16, pen.measureText(input.value).width] as const;
    });
    expect(needed, value).toBeLessThanOrEqual(room);
  }
});

test("in a picture: where the head looks in each grid, by pointer and by keyboard", async ({ page }) => {
  await openReceptiveField(page);
  await page.getByRole("radio", { name: "in a picture" }).check({ force: true });
  await expect(page).toHaveURL(/view=picture/);
  const maps = page.getByRole("group", { name: /^(8 × 8|16 × 16), / });
  await expect(maps).toHaveCount(3);
  const most = page.locator(".picture-maps p");
  await expect(most).toHaveText([/^most: row 2, column 4,/, /^most: row 8, column 6,/, /^most: row 4, column 8,/]);
  const finds = page.locator(".picture-hits tbody tr");
  const shares = async () => (await cellsOf(finds)).map(([, ...cells]) => cells.map((cell) => readNumber(cell)));
  expect(await shares()).toEqual([
    [100, 100],
    [0, 100],
    [100, 0],
  ]);

  // A patch of the trained grid is two by two of the finer one.
  await maps.first().focus();
  await page.keyboard.press("ArrowRight");
  await expect(page).toHaveURL(/column=6/);
  await expect(most).toHaveText([/^most: row 2, column 5,/, /^most: row 8, column 8,/, /^most: row 4, column 10,/]);
  await maps.last().focus();
  await page.keyboard.press("ArrowDown");
  await expect(page).toHaveURL(/row=13/);
  await expect(most.last()).toHaveText(/^most: row 5, column 10,/);
  await maps.first().click({ position: { x: 2, y: 2 } });
  await expect(page).toHaveURL(/row=0&column=0/);
  // Above the picture there is nothing to look at.
  await expect(page.locator(".picture-maps rect.k")).toHaveCount(0);

  const reading = page.locator("#receptive-field-page .reading");
  await maps.last().hover({ position: { x: 2, y: 2 } });
  await expect(reading).toContainText("16 × 16, rescaled: query in row 0, column 0, key in row 0, column 0: attention");
  await page.getByRole("heading", { name: "A picture has two positions" }).hover();
  await expect(reading).toContainText("8 × 8, as in training");

  await page.getByRole("radio", { name: "in one line" }).check({ force: true });
  await expect.poll(shares).toEqual([
    [100, 100],
    [0, 0],
    [0, 0],
  ]);
  await page.reload();
  await expect(finds).toHaveCount(3);
  await expect.poll(async () => (await shares())[2]).toEqual([0, 0]);
});

test("in a picture: scores of equal vectors, and the direction of each pair, are the library’s", async ({ page }) => {
  await openReceptiveField(page, "#receptive-field?view=picture&way=golden&head=alike&row=6&column=3");
  using rope = ropewalk.rope(optionsOf.golden);
  const figure = page.getByRole("figure", { name: "From one patch to every patch" });
  const rows = (await csvLines(figure)).slice(1);
  expect(rows).toHaveLength(64 + 256 + 256);
  const x = new Float32Array(2 * 32).fill(1 / Math.sqrt(32));
  const by = { trained: 1, extrapolated: 1, rescaled: 0.5 };
  for (const [i, grid] of [...Array(576).keys()].map(
    (i) => [i, i < 64 ? "trained" : i < 320 ? "extrapolated" : "rescaled"] as const,
  )) {
    const [label, ...numbers] = rows[i]!.match(/"[^"]*"|[^,]+/g)!;
    expect(label).toContain(grid === "trained" ? "as in training" : grid);
    const [row, column, score] = numbers.map(Number) as [number, number, number];
    const from = grid === "trained" ? [3, 1] : [6, 3];
    const positions = [from[0]!, row, from[1]!, column].map((at) => at * by[grid]);
    const y = rope.rotate(x, { sequence: 2, heads: 1, positions });
    const wanted = y.subarray(0, 32).reduce((sum, value, c) => sum + value * y[32 + c]!, 0);
    expect(Math.abs(score - wanted)).toBeLessThan(1e-5);
  }
  const pairs = page.getByRole("figure", { name: "Every pair in the picture" });
  await pairs.getByText("Table and files").click();
  const cells = await cellsOf(pairs.locator("tbody tr"));
  expect(cells).toHaveLength(16);
  for (const [j, [, , down, right]] of cells.entries()) {
    expect(readNumber(down!)).toBeCloseTo(rope.frequencies[j]!, 3);
    expect(readNumber(right!)).toBeCloseTo(rope.frequencies[16 + j]!, 3);
  }
});

test("in a picture: it fits every window, and axe finds no fault", async ({ page }) => {
  for (const way of ["axial", "line"]) {
    await openReceptiveField(page, `#receptive-field?view=picture&way=${way}`);
    for (const width of [320, 390, 768, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await expect.poll(() => sidewaysOverflow(page), `${way}, ${width} px`).toBeLessThanOrEqual(0);
    }
  }
  for (const summary of await page.locator("#receptive-field-page summary").filter({ visible: true }).all())
    await summary.click();
  expect(await axeViolations(page)).toEqual([]);
});
