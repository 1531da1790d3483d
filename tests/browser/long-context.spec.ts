import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { expect, openPage, test, textOf } from "./site.js";
import { holdWorkers, letWorkersHear } from "./workers.js";

const section = (page: Page) => page.locator("#long-context-page");
const task = (page: Page) => section(page).getByRole("combobox", { name: "task" });
const finished = (page: Page) => expect(section(page).locator(".long-context[data-finished]")).toBeAttached();

/** The rows of the figure's table: tokens, then accuracy and loss of each rule. */
async function numbers(page: Page): Promise<string[][]> {
  await section(page).getByText("The numbers as a table").click();
  const rows = await section(page)
    .getByRole("region", { name: "Accuracy and loss by test length" })
    .getByRole("row")
    .allInnerTexts();
  return rows.slice(1).map((row) => row.split("\t"));
}

test("Long context: the copied program, in Node, prints the numbers of the page", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openPage(page, "long-context", "#long-context?length=16&steps=300&seed=3&rule=yarn&at=2");
  await finished(page);
  const rows = await numbers(page);
  expect(rows.map(([tokens]) => tokens)).toEqual(["16", "32", "64", "128"]);

  await section(page).getByText("Show me the code").click();
  await section(page).getByRole("button", { name: "Copy code" }).click();
  await expect(page.getByText("copied", { exact: true })).toBeVisible();
  mkdirSync("build/playwright-code", { recursive: true });
  writeFileSync("build/playwright-code/long-context.mjs", await page.evaluate(() => navigator.clipboard.readText()));
  const env = { ...process.env, FORCE_COLOR: "0" };
  const printed = execFileSync(process.execPath, ["build/playwright-code/long-context.mjs"], { encoding: "utf8", env });
  const lines = printed.trim().split("\n");
  const rules = ["default", "linear", "ntk", "yarn", "dynamic"];
  expect(lines).toEqual(
    rows.flatMap(([tokens, ...cells]) =>
      rules.map((rule, i) => `${tokens} ${rule} ${cells[2 * i]!} ${cells[2 * i + 1]!}`),
    ),
  );
  // A factor of 1 changes nothing, and what is learnt is lost at eight times the length under the old frequencies.
  expect(new Set(lines.slice(0, 5).map((line) => line.split(" ").slice(2).join(" "))).size).toBe(1);
  expect(Number(rows[3]![1])).toBeLessThan(Number(rows[0]![1]) - 0.3);

  // What the link said is what stands out and is read.
  await expect(section(page).getByRole("radio", { name: /^YaRN/ })).toBeChecked();
  await expect(section(page).locator(".length-line[data-faint]")).toHaveCount(4);
  await expect(section(page).getByText("2× the trained length, 32 tokens: accuracy")).toBeVisible();
  await expect(section(page).locator(".race-reading li", { hasText: "YaRN" }).locator("strong")).toHaveText(
    rows[1]![7]!,
  );
});

test("Long context: cancels, and trains anew when the settings change", async ({ page }) => {
  // The task and two chunks of steps.
  await holdWorkers(page, 3);
  await openPage(page, "long-context", "#long-context?steps=1200");
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
  await expect(page).toHaveURL(/#long-context\?task=copy&length=16&steps=300$/);
  await expect(section(page).locator(".length-line circle")).toHaveCount(20);
});

test("Long context: the pointer previews, a click and the arrow keys lock", async ({ page }) => {
  await holdWorkers(page, 2);
  await openPage(page, "long-context");
  await section(page).getByRole("button", { name: "Cancel" }).click();
  const plot = section(page).locator(".plot");
  const box = (await plot.boundingBox())!;
  const reading = section(page).getByText(/the trained length, [\d\s]+ tokens/);
  await plot.hover({ position: { x: box.width - 30, y: 100 } });
  await expect(reading).toContainText("8× the trained length");
  await page.mouse.move(0, 0);
  await expect(reading).toContainText("4× the trained length");
  await plot.click({ position: { x: box.width - 30, y: 100 } });
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
