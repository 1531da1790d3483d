import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { load } from "ropewalk";
import { expect, openDistance, openFrequencies, openRotate, readNumber, test, textOf } from "./site.js";

test.use({ permissions: ["clipboard-read", "clipboard-write"] });

const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

/** What the copied program prints: it stands in the project, where "ropewalk" is the built package. */
async function run(page: Page, name: string): Promise<string> {
  await page.getByRole("button", { name: "Copy code" }).first().click();
  await expect(page.getByText("copied", { exact: true })).toBeVisible();
  mkdirSync("build/playwright-code", { recursive: true });
  writeFileSync(`build/playwright-code/${name}.mjs`, await clipboard(page));
  // Playwright asks its children for colours, which would stand among the numbers.
  const env = { ...process.env, FORCE_COLOR: "0" };
  return execFileSync(process.execPath, [`build/playwright-code/${name}.mjs`], { encoding: "utf8", env });
}

test("Rotate: the copied program computes the score that is seen", async ({ page }) => {
  await openRotate(page, "#rotate?d=12&pairing=half&base=1000&m=31.25&n=4&shift=2");
  await page.getByText("Show me the code").click();
  const printed = await run(page, "rotate");
  expect(Number(printed)).toBeCloseTo(readNumber(await textOf(page.locator(".score output"))), 4);
});

test("Frequencies: the copied program prints what the page says", async ({ page }) => {
  await openFrequencies(page);
  await page.locator(".frequencies-spectrum").getByText("Show me the code").click();
  const printed = await run(page, "frequencies");
  const lines = await page.getByRole("region", { name: "Rule B explained" }).getByRole("listitem").allInnerTexts();
  for (const line of lines) expect(printed).toContain(line);
});

test("Distance: the copied program prints the bound", async ({ page }) => {
  await openDistance(page, "#distance?d=32&span=64");
  await page.getByText("Show me the code").click();
  using rope = (await load({ analysis: true })).rope({ headDim: 32 });
  expect(await run(page, "distance")).toContain(String(rope.effectiveReceptiveField({ threshold: 0.5, limit: 32768 })));
});

test("C++ is a choice that every room remembers", async ({ page }) => {
  await openRotate(page, "#rotate?pairing=half");
  await page.getByText("Show me the code").click();
  await page.locator("#rotate-room").getByRole("radio", { name: "C++" }).check({ force: true });
  await expect(page.locator(".code code")).toContainText(".pairing = ropewalk::Pairing::half");
  await page.getByRole("link", { name: "Frequencies", exact: true }).click();
  await page.locator(".frequencies-spectrum").getByText("Show me the code").click();
  await expect(page.locator(".frequencies-spectrum code")).toContainText(
    "ropewalk::frequencies::Llama3{.base = 500000, .factor = 8, .low_frequency_factor = 1,",
  );
});

test("Copy link copies the address of the room as it is", async ({ page }) => {
  await openRotate(page);
  await page.getByRole("slider", { name: "query position m" }).fill("33");
  await page.getByRole("button", { name: "Copy link" }).click();
  await expect(page.getByText("copied", { exact: true })).toBeVisible();
  const link = await clipboard(page);
  expect(link).toMatch(/#rotate\?m=33$/);
  await page.goto("about:blank");
  await page.goto(link);
  await expect(page.getByRole("spinbutton", { name: "query position m" })).toHaveValue("33");
});
