import type { Page } from "@playwright/test";
import { load, type RopeOptions } from "ropewalk";
import { type Rule, type RuleName, rule, ruleNames, rules } from "../../web/rope/rules.js";
import { csvLines, expect, openFrequencies, readNumber, test, textOf } from "./site.js";

const llama: RopeOptions = {
  headDim: 128,
  frequencies: {
    type: "llama3",
    base: 500000,
    factor: 8,
    lowFrequencyFactor: 1,
    highFrequencyFactor: 4,
    originalMaxPositions: 8192,
  },
};

/** The cells of a row of the table, numbers where they are. */
async function row(page: Page, pair: number): Promise<string[]> {
  return page.getByRole("region", { name: "Every pair" }).locator("tbody tr").nth(pair).locator("td").allInnerTexts();
}

test("its numbers are the library’s, pair by pair, for both rules", async ({ page }) => {
  await openFrequencies(page);
  const ropewalk = await load({ analysis: true });
  using a = ropewalk.rope({ headDim: 128, frequencies: { type: "default", base: 500000 } });
  using b = ropewalk.rope(llama);
  await page.getByRole("figure", { name: "Every pair", exact: true }).getByText("Table and files").click();
  for (const pair of [0, 28, 31, 35, 63]) {
    const cells = await row(page, pair);
    for (const [from, rope] of [
      [0, a],
      [5, b],
    ] as const) {
      const close = (shown: string, wanted: number) => expect(readNumber(shown) / wanted).toBeCloseTo(1, 2);
      close(cells[from]!, rope.frequencies[pair]!);
      close(cells[from + 1]!, rope.wavelengths[pair]!);
      close(cells[from + 2]!, rope.turns(8192).turns[pair]!);
      expect(cells[from + 4]).toBe(rope.explain().pairs[pair]!.band ?? "");
    }
  }
  for (const [tone, rope] of [
    ["a", a],
    ["b", b],
  ] as const) {
    await expect(page.locator(`.marks.${tone} [data-hollow]`)).toHaveCount(rope.turns(8192).incomplete.length);
    await expect(page.locator(`.marks.${tone} > *`)).toHaveCount(64);
  }
});

test("says in the library’s words what each rule did", async ({ page }) => {
  await openFrequencies(page);
  using b = (await load({ analysis: true })).rope(llama);
  const { text, limits } = b.explain({ context: 8192, type: "bfloat16" });
  const wanted = (text + limits!.text).split("\n").filter(Boolean);
  const told = page.getByRole("region", { name: "Rule B explained" }).getByRole("listitem");
  await expect(told).toHaveText(wanted);
  await page.getByRole("button", { name: "context × 2" }).click();
  await expect(told.filter({ hasText: "in a context of 16384 positions" })).toHaveCount(1);
});

test("every rule can be chosen, is drawn, and is restored from its link", async ({ page }) => {
  await openFrequencies(page, "#frequencies?d=64");
  const choose = page.getByRole("combobox", { name: "Rule B, which rule" });
  for (const name of ruleNames) {
    await choose.selectOption(name);
    await expect(page.locator(".marks.b > *")).toHaveCount(32);
    await expect(page.locator(".failure")).toHaveCount(0);
  }
  await choose.selectOption("yarn");
  await page.getByLabel("attention scaling", { exact: true }).fill("1.25");
  await page.getByLabel("attention scaling", { exact: true }).blur();
  await page.getByLabel("ramp from whole pair to whole pair", { exact: true }).uncheck();
  await expect(page).toHaveURL(/b=yarn\*.*attentionFactor\*1\.25.*truncate\*false/);
  await page.reload();
  await expect(page.getByRole("region", { name: "Rule B explained" }).locator("strong")).toHaveText("1.25");
  await expect(page.getByLabel("ramp from whole pair to whole pair", { exact: true })).not.toBeChecked();
  await choose.selectOption("none");
  await expect(page.getByRole("region", { name: "Rule B explained" })).toHaveCount(0);
  await expect(page).toHaveURL(/b=none/);
});

test("what the library refuses it says itself, and the other rule stays", async ({ page }) => {
  await openFrequencies(page);
  const box = page.locator("#rule-b-factor");
  await box.fill("0.5");
  await box.blur();
  let allowed = "";
  try {
    (await load({ analysis: true })).rope({
      headDim: 128,
      frequencies: { ...llama.frequencies, factor: 0.5 } as RopeOptions["frequencies"],
    });
  } catch (error) {
    allowed = (error as { allowed: string }).allowed;
  }
  // The box is named by its label, not by its place in the API.
  await expect(page.getByRole("alert")).toHaveText(`factor is 0.5; allowed: ${allowed}.`);
  const low = page.getByLabel("low-frequency factor", { exact: true });
  await box.fill("8");
  await low.fill("5");
  await low.blur();
  await expect(page.getByRole("alert")).toHaveText(
    "high-frequency factor is 4; allowed: a finite number of at least low-frequency factor = 5.",
  );
  await expect(page.locator(".marks.a > *")).toHaveCount(64);
  await expect(page.locator(".marks.b")).toHaveCount(0);
});

test("a link with a rule that is none falls back with a note", async ({ page }) => {
  await openFrequencies(page, "#frequencies?a=evil*base*1&b=yarn*base*10000*<b>*4&context=1e9");
  await expect(page.getByRole("status").filter({ hasText: "The link asks for" }).locator("p")).toHaveCount(3);
  await expect(page.getByRole("combobox", { name: "Rule B, which rule" })).toHaveValue("llama3");
});

test("the values of a pair are reached by keyboard and by pointer", async ({ page }) => {
  await openFrequencies(page);
  const cursor = page.getByRole("slider", { name: "pair 40" });
  await expect(cursor).toHaveAttribute(
    "aria-valuetext",
    /^pair 40; A: wavelength .* turns in the context; B: .*divided by factor$/,
  );
  await cursor.focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("slider", { name: "pair 41" })).toBeFocused();
  const wavelength = page.locator(".pair-values tbody tr").first().locator("td").first();
  using a = (await load({ analysis: true })).rope({ headDim: 128, frequencies: { type: "default", base: 500000 } });
  expect(readNumber(await textOf(wavelength)) / a.wavelengths[41]!).toBeCloseTo(1, 3);
  const plot = page.locator(".frequencies-spectrum .plot").first();
  await plot.hover({ position: { x: 54, y: 100 } });
  await expect(page.getByRole("slider", { name: "pair 0" })).toBeVisible();
  await page.getByRole("heading", { name: "How each rule rescales the pairs" }).hover();
  await expect(page.getByRole("slider", { name: "pair 41" })).toBeVisible();
  await plot.click({ position: { x: 54, y: 100 } });
  await page.getByRole("heading", { name: "How each rule rescales the pairs" }).hover();
  await expect(page.getByRole("slider", { name: "pair 0" })).toBeVisible();
});

test("rules in links: what is written is read back, whatever the rule", () => {
  const field = rule({ type: "default", values: { base: 10000 } });
  const values = { number: 1.5e-7, list: [1, -2.5, 1e-9], switch: false };
  for (const type of Object.keys(rules) as RuleName[]) {
    const given: Rule = {
      type,
      values: Object.fromEntries(rules[type].parameters.map(({ name, kind }) => [name, values[kind]])),
    };
    expect(field.parse(field.format(given))).toEqual(given);
    // An address leaves these characters as they are.
    expect(new URLSearchParams({ a: field.format(given) }).toString()).toBe(`a=${field.format(given)}`);
  }
  for (const bad of [
    "",
    "yarn",
    "default*base",
    "default*base*NaN",
    "default*base*1*other*2",
    "custom*frequencies*1_x",
  ]) {
    expect(field.parse(bad)).toBeUndefined();
  }
});

test("the matrix holds the cosine of every pair at positions up to the context, by pointer and by keyboard", async ({
  page,
}) => {
  await openFrequencies(page, "#frequencies?at=8192&pair=34");
  const ropewalk = await load({ analysis: true });
  using a = ropewalk.rope({ headDim: 128, frequencies: { type: "default", base: 500000 } });
  using b = ropewalk.rope(llama);
  const figure = page.getByRole("figure", { name: "Cosines of all pairs by position" });
  const map = figure.getByRole("group", { name: /^Cosine of the angle/ });
  const reading = figure.locator(".reading");
  const cosine = async () => readNumber(await textOf(page.locator("#frequencies-cosine")));
  await expect(reading).toContainText("A, pair 34 at position 8\u202f192");
  expect(await cosine()).toBeCloseTo(Math.cos(8192 * a.frequencies[34]!), 3);
  await expect(reading).toContainText("First full turn after");
  await map.focus();
  await page.keyboard.press("ArrowRight");
  await expect(page).toHaveURL(/pair=35/);
  await expect(reading).toContainText("No full turn within 8\u202f192 positions.");
  // The cursor of the figure above reads the same pair.
  await expect(page.getByRole("slider", { name: "pair 35" })).toBeVisible();
  await page.keyboard.press("ArrowUp");
  await expect(page).not.toHaveURL(/at=8192/);
  const before = await textOf(reading);
  await map.hover({ position: { x: 3, y: 3 } });
  await expect(reading).toContainText("pair 0 at position 0");
  expect(await cosine()).toBe(1);
  await page.getByRole("heading", { name: "Every pair at every position" }).hover();
  await expect(reading).toHaveText(before);

  const lines = await csvLines(figure);
  expect(lines[0]!.split(",")).toHaveLength(65);
  for (const line of lines.slice(1)) {
    const [position, ...cosines] = line.split(",").map(Number);
    for (const [j, value] of cosines.entries())
      expect(Math.abs(value - Math.cos(position! * a.frequencies[j]!))).toBeLessThan(1e-6);
  }
  const [first, last] = [lines[1]!, lines.at(-1)!].map((line) => Number(line.split(",")[0]));
  expect([first, last]).toEqual([0, 8192]);

  await figure.getByRole("radio", { name: "B" }).check({ force: true });
  await expect(reading).toContainText("B, pair 35");
  const position = readNumber((await textOf(reading)).match(/position ([^:]+):/)![1]!);
  expect(await cosine()).toBeCloseTo(Math.cos(position * b.frequencies[35]!), 3);
});

/** Sides of dashed frames around pairs without a full turn, and their bars, read from the drawing. */
const framed = (page: Page) =>
  page
    .locator(".map-field path[stroke-dasharray]")
    .last()
    .evaluate((path) => path.getAttribute("d")!.match(/M\d+ 0h1/g)?.length ?? 0);

test("the matrix frames the pairs that complete no turn within the context", async ({ page }) => {
  using a = (await load({ analysis: true })).rope({ headDim: 128, frequencies: { type: "default", base: 500000 } });
  for (const context of [16, 8192, 131072, 16777216]) {
    await openFrequencies(page, `#frequencies?context=${context}`);
    await expect.poll(() => framed(page), String(context)).toBe(a.turns(context).incomplete.length);
  }
});

test("no mark lies under the name of what is longer than the context", async ({ page }) => {
  for (const address of ["#frequencies", "#frequencies?context=131072", "#frequencies?context=64"]) {
    await openFrequencies(page, address);
    for (const width of [390, 577, 768, 900, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      const covered = () =>
        page
          .locator(".frequencies-spectrum .plot")
          .first()
          .evaluate((plot) => {
            const name = plot.querySelector(".limit-name")!.getBoundingClientRect();
            return [...plot.querySelectorAll(".marks > *")].filter((mark) => {
              const { left, right, top, bottom } = mark.getBoundingClientRect();
              return left < name.right && right > name.left && top < name.bottom && bottom > name.top;
            }).length;
          });
      await expect.poll(covered, `${address}, ${width} px`).toBe(0);
    }
  }
});
