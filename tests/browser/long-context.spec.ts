import type { Page } from "@playwright/test";
import { load } from "ropewalk";
import {
  distanceOf,
  ROWS,
  type Settings,
  scalingOf,
  type Tested,
  trainingOf,
  usualBetas,
} from "../../web/pages/long-context/recipe.js";
import { BATCH } from "../../web/training/recipe.js";
import { readJson } from "../ts/files.js";
import { printedBy } from "./programs.js";
import { expect, openPage, test, textOf, textsOf } from "./site.js";
import { holdWorkers, letWorkersHear } from "./workers.js";

const section = (page: Page) => page.locator("#long-context-page");
const task = (page: Page) => section(page).getByRole("combobox", { name: "task" });
const finished = (page: Page) => expect(section(page).locator(".long-context[data-finished]")).toBeAttached();

/** The rows of the figure’s table: tokens, then of each rule the accuracy, its least and most, and the loss. */
async function numbers(page: Page): Promise<string[][]> {
  await section(page).getByText("Table and files").click();
  return rowsNow(page);
}

async function rowsNow(page: Page): Promise<string[][]> {
  const table = section(page).getByRole("region", { name: "Accuracy and loss by test length" });
  return (await textsOf(table.getByRole("row"))).slice(1).map((row) => row.split("\t"));
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

test("Long context: the copied program, in Node, prints the numbers of the page", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  test.slow();
  const address = "#long-context?length=16&steps=300&seed=3&seeds=3&betaFast=2&betaSlow=0.25&rule=yarn&at=2";
  await openPage(page, "long-context", address);
  await finished(page);
  const rows = await numbers(page);
  expect(rows.map(([tokens]) => tokens)).toEqual(["16", "32", "64", "128"]);

  await section(page).getByText("Show me the code").click();
  await section(page).getByRole("button", { name: "Copy code" }).click();
  await expect(page.getByText("copied", { exact: true })).toBeVisible();
  const printed = printedBy("long-context", await page.evaluate(() => navigator.clipboard.readText()));
  const lines = printed
    .trim()
    .split("\n")
    .map((line) => line.split(" "));
  const rules = ["default", "linear", "ntk", "yarn", "dynamic"];
  expect(lines).toHaveLength(4 * 5 * 3);
  for (const [tokens, ...cells] of rows) {
    for (const [i, rule] of rules.entries()) {
      const own = lines.filter((line) => line[0] === tokens && line[1] === rule);
      const accuracies = own.map((line) => Number(line[3]));
      const shown = cells.slice(4 * i, 4 * i + 4).map(Number);
      expect(shown[0]).toBeCloseTo(median(accuracies), 2);
      expect(shown[1]).toBeCloseTo(Math.min(...accuracies), 2);
      expect(shown[2]).toBeCloseTo(Math.max(...accuracies), 2);
      expect(shown[3]).toBeCloseTo(median(own.map((line) => Number(line[4]))), 2);
    }
  }
  // A factor of 1 changes nothing, and what is learnt is lost at eight times the length under the old frequencies.
  const once = lines
    .filter(([tokens, , seed]) => tokens === "16" && seed === "3")
    .map((line) => line.slice(3).join(" "));
  expect(new Set(once).size).toBe(1);
  expect(Number(rows[3]![1])).toBeLessThan(Number(rows[0]![1]) - 0.3);

  // The rule and the length of the link stand out and are read.
  await expect(section(page).getByRole("radio", { name: /^YaRN/ })).toBeChecked();
  await expect(section(page).locator(".length-line[data-faint]")).toHaveCount(4);
  await expect(section(page).getByText("2× the trained length, 32 tokens: accuracy")).toBeVisible();
  await expect(section(page).locator(".race-reading li", { hasText: "YaRN" }).locator("strong")).toContainText(
    rows[1]![13]!,
  );
});

test("Long context: opens on recorded results, which are the library’s", async ({ page }) => {
  await openPage(page, "long-context");
  await expect(section(page).getByText("Recorded results of 5 seeds.")).toBeVisible();
  await expect(section(page).locator(".length-line circle")).toHaveCount(20);
  await expect(section(page).locator(".length-line .band")).toHaveCount(5);
  // One seed anew, without a page.
  const { settings, results } = readJson<{
    settings: Settings;
    results: Tested[];
  }>("web/pages/long-context/recorded.json");
  const ropewalk = await load();
  using task = await ropewalk.task({ name: settings.task, distance: distanceOf(settings.task), seed: 2 });
  const { config, optimizer } = trainingOf(settings);
  const whole = { ...config, vocab_size: task.vocabSize };
  using trainer = await ropewalk.trainer({ config: whole, seed: 2, optimizer });
  const { steps, length: sequence } = settings;
  while (trainer.step < steps) trainer.train(task.batch({ index: trainer.step, batch: BATCH, sequence }));
  const weights = trainer.save();
  for (const { rule, factor, accuracy, loss } of results.filter(({ seed }) => seed === 2)) {
    const scaled = { ...whole, ...scalingOf(rule, factor, sequence, usualBetas) };
    using other = await ropewalk.trainer({ config: scaled, weights });
    const found = other.evaluate(task.batch({ split: "validation", batch: ROWS, sequence: factor * sequence }));
    expect(found.accuracy).toBeCloseTo(accuracy, 2);
    expect(found.loss).toBeCloseTo(loss, 1);
  }
});

test("Long context: other betas change YaRN alone, on the weights that are trained", async ({ page }) => {
  test.slow();
  await openPage(page, "long-context", "#long-context?length=16&steps=300&seeds=1");
  await finished(page);
  const before = await numbers(page);
  await section(page).getByRole("button", { name: "Try 2 and 0.25" }).click();
  await expect(page).toHaveURL(/betaFast=2&betaSlow=0\.25/);
  await expect.poll(async () => (await rowsNow(page))[3]!.slice(13, 17)).not.toEqual(before[3]!.slice(13, 17));
  await finished(page);
  const after = await rowsNow(page);
  for (const [i, row] of after.entries())
    expect([...row.slice(0, 13), ...row.slice(17)]).toEqual([...before[i]!.slice(0, 13), ...before[i]!.slice(17)]);
});

test("Long context: cancels, and trains anew when the settings change", async ({ page }) => {
  // The task and two chunks of steps.
  await holdWorkers(page, 3);
  await openPage(page, "long-context", "#long-context?steps=1200&seeds=1");
  await expect(section(page).getByRole("progressbar")).toBeVisible();
  await expect(section(page).getByText(/^[1-9]\d{0,2} of 1200 steps, 0 of 20/)).toBeVisible();
  await section(page).getByRole("button", { name: "Cancel" }).click();
  await letWorkersHear(page);
  const progress = section(page).locator(".driving .hint");
  const stopped = await textOf(progress);
  await page.waitForTimeout(1500);
  expect(await textOf(progress)).toBe(stopped);
  expect(stopped).toMatch(/0 of 20 tests$/);

  await task(page).selectOption("copy");
  await section(page).getByLabel("steps", { exact: true }).selectOption("300");
  await section(page).getByLabel("trained length", { exact: true }).selectOption("16");
  await finished(page);
  await expect(page).toHaveURL(/#long-context\?task=copy&length=16&steps=300&seeds=1$/);
  await expect(section(page).locator(".length-line circle")).toHaveCount(20);
});

test("Long context: the pointer previews, a click and the arrow keys lock", async ({ page }) => {
  await openPage(page, "long-context");
  const plot = section(page).locator(".plot");
  const [box, longest] = [(await plot.boundingBox())!, (await plot.locator("circle").last().boundingBox())!];
  const end = { x: longest.x + longest.width / 2 - box.x, y: 100 };
  const reading = section(page).getByText(/the trained length, [\d\s]+ tokens/);
  await plot.hover({ position: end });
  await expect(reading).toContainText("8× the trained length");
  await page.mouse.move(0, 0);
  await expect(reading).toContainText("4× the trained length");
  await plot.click({ position: end });
  await page.mouse.move(0, 0);
  await expect(reading).toContainText("8× the trained length");
  await section(page).getByRole("slider", { name: "test length" }).press("ArrowLeft");
  await section(page).getByRole("slider", { name: "test length" }).press("ArrowLeft");
  await expect(reading).toContainText("2× the trained length");
  await section(page).getByRole("radio", { name: "show all" }).focus();
  await page.keyboard.press("ArrowDown");
  await expect(page).toHaveURL(/rule=default&at=2/);
});

test("Long context: a hostile link falls back with a note", async ({ page }) => {
  await openPage(page, "long-context", "#long-context?task=%3Cscript%3E&length=1e9&at=3");
  await expect(page.getByText(/The link asks for task “<script>”; allowed:/)).toBeVisible();
  await expect(page.getByText(/The link asks for length “1e9”; allowed:/)).toBeVisible();
  await expect(task(page)).toHaveValue("period");
});

test("Long context: DroPE stands beside the rules, as it was recorded, by keyboard and on a phone", async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await openPage(page, "long-context");
  const view = section(page).getByRole("radio", { name: "scaling rules" });
  await view.focus();
  await view.press("ArrowRight");
  await expect(page).toHaveURL(/view=drope/);
  await expect(section(page).getByRole("heading", { name: "Rotation taken out after training (DroPE)" })).toBeVisible();
  await expect(section(page).getByRole("progressbar")).toHaveCount(0);

  const { length, lines } = readJson<{
    length: number;
    lines: Record<string, { label: string; losses: number[][] }>;
  }>("web/pages/long-context/drope.json");
  await expect(section(page).locator(".length-line circle")).toHaveCount(15);
  const at = section(page).getByRole("slider", { name: "test length" });
  const reads = (index: number) => `${lines.dropped!.label} ${lines.dropped!.losses[index]![0]!.toFixed(2)}`;
  await expect(at).toHaveAttribute("aria-valuetext", new RegExp(`^4 times .* ${4 * length} letters: `));
  expect(await at.getAttribute("aria-valuetext")).toContain(reads(2));
  await at.press("ArrowLeft");
  await expect(page).toHaveURL(/dropeAt=2/);
  expect(await at.getAttribute("aria-valuetext")).toContain(reads(1));

  await section(page).getByText("Table and files").click();
  const table = section(page).getByRole("region", { name: "Loss by test length" });
  const first = (await textsOf(table.getByRole("row"))).slice(1)[0]!.split("\t");
  const losses = Object.values(lines).flatMap(({ losses }) => losses[0]!.map((loss) => loss.toFixed(2)));
  expect(first).toEqual([String(length), ...losses]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});
