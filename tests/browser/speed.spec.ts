import { readJson } from "../ts/files.js";
import { expect, openPage, readNumber, test, textOf, textsOf } from "./site.js";
import { holdWorkers, holdWorkersFromNow, letWorkersHear } from "./workers.js";

test("Speed: every contestant is checked and measured, and the figures agree with each other", async ({ page }) => {
  await openPage(page, "speed", "#speed?shape=decode&pairing=interleaved");
  const section = page.locator("#speed-page");
  await expect(section.locator(".speed[data-finished]")).toBeVisible();
  await expect(section.getByRole("button", { name: "Measure again" })).toBeVisible();
  await section.getByText("Table and files").click();
  const rows = await textsOf(section.getByRole("row"));
  const cells = rows.slice(1).map((row) => row.split("\t"));
  const names = cells.map(([name]) => name);
  const loops = ["JavaScript, nested", "JavaScript, heads inside", "JavaScript, by head"];
  for (const name of [...loops, "C, scalar", "C, SIMD", "Ropewalk", "limit: scale in place"])
    expect(names).toContain(name);
  const lower = (name: string) => readNumber(cells.find(([one]) => one === name)![1]!);
  const javascript = Math.min(...loops.map(lower));
  for (const [name, q1, median, q3, rate, , faster, error] of cells) {
    const microseconds = readNumber(q1!);
    expect(readNumber(median!)).toBeGreaterThanOrEqual(microseconds);
    expect(readNumber(q3!)).toBeGreaterThanOrEqual(readNumber(median!));
    // 32 heads of 128 numbers, each read and written.
    expect(readNumber(rate!) / ((32 * 128 * 8) / microseconds / 1000)).toBeCloseTo(1, 1);
    expect(readNumber(faster!) / (javascript / microseconds)).toBeCloseTo(1, 1);
    if (name !== "limit: scale in place") expect(readNumber(error!.replace(" ulp", ""))).toBeLessThan(2);
  }
  // The sentence names the fastest loop, and its range lies around the ratio of the table.
  const said = await textOf(section.locator(".verdict"));
  // Two loops can have the same figure in the table, which is rounded; the sentence may name either.
  const fastest = loops.filter((name) => lower(name) === javascript);
  expect(fastest.filter((name) => said.includes(`(${name.replace("JavaScript, ", "")})`))).toHaveLength(1);
  const [low, high = low] = Array.from(
    /That is ([^t]+?) times/.exec(said.replaceAll("about ", "").replace(" to ", " "))![1]!.split(" "),
    readNumber,
  );
  const ratio = javascript / lower("Ropewalk");
  expect(low!).toBeLessThanOrEqual(ratio * 1.06);
  expect(high!).toBeGreaterThanOrEqual(ratio / 1.06);
});

test("Speed: until the first sample the figure shows what the benchmark recorded, and says so", async ({ page }) => {
  // Nothing is measured here as long as this test wants.
  await holdWorkers(page, 0);
  await openPage(page, "speed", "#speed?shape=batch");
  const section = page.locator("#speed-page");
  await expect(section.locator(".verdict")).toContainText(
    /^Recorded \d{4}-\d\d-\d\d in Chromium \d+, .*Measuring here…$/,
  );
  const report = readJson<{
    groups: { suite: string; host: string; title: string; rows: { key: string; q1: number }[] }[];
  }>("docs/performance/results.json");
  const rows = report.groups.find(
    ({ suite, host, title }) => suite === "rotation" && host === "chromium" && title === "half, D [8,512,12,64]",
  )!.rows;
  await section.getByText("Table and files").click();
  const figure = section.getByRole("figure", { name: "Rotated per second, as recorded" });
  for (const [name, key] of [
    ["JavaScript, by head", "js-by-head"],
    ["C, SIMD", "plain-c"],
    ["Ropewalk", "ropewalk"],
    ["limit: scale in place", "scale"],
  ]) {
    const row = figure.locator("tbody tr").filter({ has: page.getByRole("rowheader", { name: name!, exact: true }) });
    const microseconds = rows.find((each) => each.key === key)!.q1 * 1000;
    expect(readNumber(await textOf(row.locator("td").first())) / microseconds).toBeCloseTo(1, 1);
  }
  await section.getByRole("button", { name: "Stop" }).click();
  await expect(section.locator(".verdict")).toContainText("Nothing has been measured here yet.");
});

test("Speed: training on another page waits while it measures", async ({ page }) => {
  await openPage(page, "train", "#train?steps=3200&length=64");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  const taken = page.locator("#train-page").getByText(/^[\d\s\u202f]+ of .* steps,/);
  await expect(taken).toBeVisible();
  // Held at its preparation, so that the measurement lasts as long as this test wants.
  await holdWorkersFromNow(page);
  await page.getByRole("link", { name: "Speed on this machine" }).click();
  await expect(page.locator("#speed-page").getByText("warming up, 0 %")).toBeVisible();
  await page.getByRole("link", { name: "Lab", exact: true }).click();
  const waiting = page.getByText("Waiting while the Speed page measures.");
  await expect(waiting).toBeVisible();
  await letWorkersHear(page);
  await expect(taken).toBeVisible();
});

test("Speed: stops, and measures again", async ({ page }) => {
  // The preparation and three rounds of 21.
  await holdWorkers(page, 4);
  await openPage(page, "speed", "#speed?shape=long");
  const section = page.locator("#speed-page");
  const taken = section.getByText(/^\d+ of 21 samples$/);
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

test("on a phone bars are long, with their names above them", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openPage(page, "speed");
  const track = (await page.locator("#speed-page .bar-track").first().boundingBox())!;
  const name = (await page.locator("#speed-page .bar-name").first().boundingBox())!;
  expect(track.width).toBeGreaterThan(200);
  expect(name.y + name.height).toBeLessThanOrEqual(track.y + 1);
});
