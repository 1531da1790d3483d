import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, openDistance, openFrequencies, openRoformer, openRotate, test } from "./site.js";

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });
  test("the prose of every room is there", async ({ page }) => {
    await page.goto("./");
    await expect(page.getByRole("heading", { name: "Ropewalk" })).toBeVisible();
    await expect(page.getByRole("heading", { name: "A RoFormer, and what its heads look at" })).toBeVisible();
    await expect(page.getByRole("heading", { name: "Rotate a query and a key" })).toBeVisible();
    await expect(page.getByRole("heading", { name: "Frequencies, and the rules that change them" })).toBeVisible();
    await expect(page.getByRole("heading", { name: "Do scores fall with distance?" })).toBeVisible();
  });
});

test("a strict policy is in the page, and holds", async ({ page }) => {
  await openRoformer(page);
  const policy = await page.locator("meta[http-equiv=Content-Security-Policy]").getAttribute("content");
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe-inline|'unsafe-eval'|https?:/);
});

for (const [name, open] of [
  ["roformer", openRoformer],
  ["rotate", openRotate],
  ["frequencies", openFrequencies],
  ["distance", openDistance],
] as const) {
  test(`${name}: nothing jumps while it loads`, async ({ page }) => {
    await page.addInitScript(() => {
      const shifts: number[] = [];
      Object.assign(window, { shifts });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shifts.push((entry as PerformanceEntry & { value: number }).value);
      }).observe({ type: "layout-shift", buffered: true });
    });
    await page.setViewportSize({ width: 1440, height: 1000 });
    await open(page);
    await page.waitForTimeout(300);
    const shifts = await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts);
    expect(shifts.reduce((sum, shift) => sum + shift, 0)).toBeLessThan(0.02);
  });
}

test("HTML, styles and scripts stay under 120 KB gzipped, before WebAssembly", () => {
  const files = readdirSync("dist-site", { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.(html|css|js)$/.test(name),
  );
  let total = 0;
  for (const name of files) {
    // The module rides in its script as text: gzip-base64, a long run of letters that is not counted.
    const source = readFileSync(join("dist-site", name), "utf8").replace(/[A-Za-z0-9+/=]{4096,}/g, "");
    total += gzipSync(source, { level: 9 }).length;
  }
  expect(total).toBeLessThan(120_000);
});

test("works from any folder: no address in the built page starts at the root", () => {
  const html = readFileSync("dist-site/index.html", "utf8");
  expect(html.match(/(?:src|href)="\/[^"]*"/g) ?? []).toEqual([]);
});
