import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { visit } from "./newcomer.js";
import { expect, openPage, test, textOf } from "./site.js";

const answer = (page: Page) => page.locator("#home-answer");
const answered = (page: Page) => expect(page.getByText("Answered in this page by the shipped model")).toBeVisible();

test("the answer follows the swap, and stops following when rotation is off", async ({ page }) => {
  await openPage(page, "home");
  await answered(page);
  await expect(answer(page)).toHaveText("sailor");
  await page.getByRole("button", { name: "Swap the two names" }).click();
  await expect(page.locator("#home-sentence .name")).toHaveText(["sailor", "captain"]);
  await expect(answer(page)).toHaveText("captain");
  await expect(page.locator("#home-share")).toHaveText(/^9\d\.\d/);
  await page.getByRole("checkbox", { name: "rotation" }).uncheck();
  const [word, share] = [await textOf(answer(page)), await textOf(page.locator("#home-share"))];
  await page.getByRole("button", { name: "Swap the two names" }).click();
  await expect(page.locator("#home-sentence .name")).toHaveText(["captain", "sailor"]);
  expect([await textOf(answer(page)), await textOf(page.locator("#home-share"))]).toEqual([word, share]);
  await expect(page.getByText("captain, position 2: not rotated")).toBeVisible();
  await expect(page).toHaveURL(/#home\?rotation=off$/);
  // Bars say how sure an answer is, and so does what a screen reader hears.
  await expect(page.locator("#home-bars li").first()).toHaveText(`${word}${share}`);
  await expect(page.locator("#home-reading")).toHaveText(
    `${word}, ${share}. Without rotation both sentences are the same bag of words, so both get this same uncertain answer.`,
  );
  // Playing is no step of its own: one step back leaves the page.
  expect(await page.evaluate(() => history.length)).toBe(2);
});

test("a long config.json arrives whole on the page that checks it", async ({ page }) => {
  const labels = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`label ${i}`, i]));
  const config = JSON.stringify({ hidden_size: 128, num_attention_heads: 4, rope_theta: 10000, label2id: labels });
  expect(config.length).toBeGreaterThan(30_000);
  await openPage(page, "home");
  await page.getByLabel("Paste its config.json").fill(config);
  await page.getByRole("button", { name: "Check this config.json" }).click();
  await expect(page.locator("#doctor-config")).toHaveValue(config);
});

test("what is shown before the model has answered is what it answers", async ({ page }) => {
  const read = async () => {
    const all: string[] = [];
    for (const address of ["#home", "#home?swap=yes", "#home?rotation=off", "#home?swap=yes&rotation=off"]) {
      await page.evaluate((hash) => {
        location.hash = hash;
      }, address);
      await expect(page.locator("#home-rotation")).toBeChecked({ checked: !address.includes("off") });
      await expect(page.locator("#home-sentence .name").first()).toHaveText(
        address.includes("swap") ? "sailor" : "captain",
      );
      all.push(`${await textOf(answer(page))} ${await textOf(page.locator("#home-share"))}`);
    }
    return all;
  };
  let letThrough = () => {};
  const waiting = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  await page.route("**/model.safetensors", async (route) => {
    await waiting;
    await route.continue();
  });
  await openPage(page, "home");
  await expect(page.getByText("These are recorded answers of the shipped model.")).toBeVisible();
  const recorded = await read();
  letThrough();
  await answered(page);
  expect(await read()).toEqual(recorded);
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });
  test("the sentence, its answer and the eight lines are there", async ({ page }) => {
    await page.goto("./");
    await expect(page.locator("#home-sentence")).toContainText("now the sailor 98.5 % has the rope.");
    await expect(page.getByText('import { load } from "ropewalk";')).toBeVisible();
  });
});

test("the eight lines print in Node what they print in the page", async ({ page }) => {
  await openPage(page, "home");
  const lines = await textOf(page.locator("#home-page pre code"));
  expect(lines.trim().split("\n")).toHaveLength(8);
  mkdirSync("build/playwright-code", { recursive: true });
  writeFileSync("build/playwright-code/home.mjs", lines);
  const env = { ...process.env, FORCE_COLOR: "0" };
  const printed = execFileSync(process.execPath, ["build/playwright-code/home.mjs"], { encoding: "utf8", env });
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator("#home-printed")).toHaveText(printed.trim());
  // The same distance, the same score.
  const [first, second] = printed.trim().split(" ");
  expect(first).toBe(second);
});

test("a newcomer finds word order, a wrong config.json and lines that run, in five clicks", async ({ page }) => {
  expect(await visit(page)).toBeLessThanOrEqual(5);
});
