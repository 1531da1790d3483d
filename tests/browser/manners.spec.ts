import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { roomNames } from "./rooms.js";
import { expect, openRoformer, openRoom, test } from "./site.js";

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });
  test("the prose of every room is there", async ({ page }) => {
    await page.goto("./");
    await expect(page.getByRole("heading", { name: "Ropewalk" })).toBeVisible();
    for (const room of roomNames) {
      const prose = page.locator(`#${room}-room .prose`);
      await expect(prose.getByRole("heading", { level: 2 })).toBeVisible();
      await expect(prose.locator("p").first()).toBeVisible();
    }
  });
});

test("each room’s code loads when the room is first shown", async ({ page }) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await openRoom(page, "rotate");
  const code = (room: string) => asked.filter((path) => new RegExp(`/${room}-[\\w-]+\\.js$`).test(path));
  expect(code("rotate")).toHaveLength(1);
  expect(code("roformer")).toEqual([]);
  await page.getByRole("link", { name: "RoFormer", exact: true }).click();
  await expect.poll(() => code("roformer")).toHaveLength(1);
});

test("a strict policy is in the page, and holds", async ({ page }) => {
  await openRoformer(page);
  const policy = await page.locator("meta[http-equiv=Content-Security-Policy]").getAttribute("content");
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe-inline|'unsafe-eval'|https?:/);
});

for (const room of roomNames) {
  test(`${room}: nothing jumps while it loads`, async ({ page }) => {
    await page.addInitScript(() => {
      const shifts: number[] = [];
      Object.assign(window, { shifts });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shifts.push((entry as PerformanceEntry & { value: number }).value);
      }).observe({ type: "layout-shift", buffered: true });
    });
    await page.setViewportSize({ width: 1440, height: 1000 });
    await openRoom(page, room);
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
