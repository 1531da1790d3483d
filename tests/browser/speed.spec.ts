import { expect, openPage, readNumber, test } from "./site.js";
import { holdWorkers, letWorkersHear } from "./workers.js";

test("Speed: every contestant is checked and measured, and the figures agree with each other", async ({ page }) => {
  await openPage(page, "speed", "#speed?shape=decode&pairing=interleaved");
  const section = page.locator("#speed-page");
  await expect(section.getByRole("button", { name: "Measure again" })).toBeVisible();
  await section.getByText("In numbers").click();
  const rows = await section.getByRole("row").allInnerTexts();
  const cells = rows.slice(1).map((row) => row.split("\t"));
  const names = cells.map(([name]) => name);
  for (const name of ["JavaScript", "C, scalar", "C, SIMD", "Ropewalk", "limit: scale in place"])
    expect(names).toContain(name);
  const javascript = readNumber(cells.find(([name]) => name === "JavaScript")![1]!);
  for (const [name, median, least, most, rate, , faster, error] of cells) {
    const microseconds = readNumber(median!);
    expect(readNumber(least!)).toBeLessThanOrEqual(microseconds);
    expect(readNumber(most!)).toBeGreaterThanOrEqual(microseconds);
    // 32 heads of 128 numbers, each read and written.
    expect(readNumber(rate!) / ((32 * 128 * 8) / microseconds / 1000)).toBeCloseTo(1, 1);
    expect(readNumber(faster!) / (javascript / microseconds)).toBeCloseTo(1, 1);
    if (name !== "limit: scale in place") expect(readNumber(error!.replace(" ulp", ""))).toBeLessThan(2);
  }
});

test("Speed: stops, and measures again", async ({ page }) => {
  // The preparation and three rounds of 21.
  await holdWorkers(page, 4);
  await openPage(page, "speed", "#speed?shape=long");
  const section = page.locator("#speed-page");
  const taken = section.getByText(/of 21 samples/);
  await expect(taken).toHaveText(/^3 of/);
  await section.getByRole("button", { name: "Stop" }).click();
  await letWorkersHear(page);
  await expect(section.getByRole("button", { name: "Measure again" })).toBeVisible();
  await page.waitForTimeout(500);
  await expect(taken).toHaveText(/^3 of/);
  await section.getByRole("radio", { name: "1 token" }).check({ force: true });
  await expect(taken).toHaveText(/21 of 21/);
  await expect(page).toHaveURL(/#speed\?shape=decode$/);
});
