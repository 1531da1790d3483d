import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hubHosts } from "../../web/model/hub.js";
import { packed } from "./packed.js";
import { pageNames } from "./pages.js";
import { expect, goTo, openPage, openRoformer, test } from "./site.js";

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });
  test("the gallery is there, and every sentence of it", async ({ page }) => {
    await page.goto("./");
    await page.getByText("Examples: what to look at first").click();
    await expect(page.locator(".gallery li").first()).toBeVisible();
  });
  test("the prose of every page is there", async ({ page }) => {
    await page.goto("./");
    await expect(page.getByRole("heading", { name: "Ropewalk" })).toBeVisible();
    for (const name of pageNames) {
      const prose = page.locator(`#${name}-page .prose`).first();
      await expect(prose.getByRole("heading", { level: 2 })).toBeVisible();
      await expect(prose.locator("p").first()).toBeVisible();
    }
  });
});

test("each page’s code loads when the page is first shown", async ({ page }) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await openPage(page, "rotate");
  const code = (name: string) => asked.filter((path) => new RegExp(`/${name}-[\\w-]+\\.js$`).test(path));
  expect(code("rotate")).toHaveLength(1);
  expect(code("roformer")).toEqual([]);
  await goTo(page, "Models", "RoFormer");
  await expect.poll(() => code("roformer")).toHaveLength(1);
});

test("a strict policy is in the page, and holds", async ({ page }) => {
  await openRoformer(page);
  const policy = await page.locator("meta[http-equiv=Content-Security-Policy]").getAttribute("content");
  expect(policy).toContain("default-src 'none'");
  // One hub, which the page asks for a model only when the visitor does (hub.spec.ts).
  expect(policy).toContain(`connect-src 'self' ${hubHosts.join(" ")};`);
  expect(policy!.replace(/connect-src [^;]*/, "")).not.toMatch(/unsafe-inline|'unsafe-eval'|https?:/);
});

for (const name of pageNames) {
  test(`${name}: its first visit takes under 134 KB before WebAssembly, and nothing jumps while it loads`, async ({
    page,
  }) => {
    await page.addInitScript(() => {
      const shifts: number[] = [];
      Object.assign(window, { shifts });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shifts.push((entry as PerformanceEntry & { value: number }).value);
      }).observe({ type: "layout-shift", buffered: true });
    });
    const asked = new Set(["index.html"]);
    page.on("request", (request) => asked.add(new URL(request.url()).pathname.slice(1)));
    await page.setViewportSize({ width: 1440, height: 1000 });
    await openPage(page, name);
    const sizes = [...asked].filter((path) => /\.(html|css|js)$/.test(path)).map(packed);
    await page.waitForTimeout(300);
    const shifts = await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts);
    expect.soft(shifts.reduce((sum, shift) => sum + shift, 0)).toBeLessThan(0.02);
    expect(sizes.length).toBeGreaterThan(4);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(134 * 1024);
  });
}

for (const name of pageNames) {
  test(`${name}: stands still where motion is not wanted`, async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await openPage(page, name);
    // Computed results may appear; nothing moves for the sake of moving.
    await expect.poll(() => page.evaluate(() => document.getAnimations().length)).toBe(0);
  });
}

test("the site’s own code, all pages together, takes under 200 KiB", () => {
  const assets = readdirSync("dist-site/assets").filter((name) => /\.(css|js)$/.test(name));
  const own = ["index.html", "boot.js", ...assets.map((name) => join("assets", name))];
  expect(own.map(packed).reduce((sum, size) => sum + size, 0)).toBeLessThan(200 * 1024);
});

test("every example of the gallery is a page that is restored as it is told", async ({ page }) => {
  test.slow();
  await page.goto("./");
  const addresses = await page.locator(".gallery a").evaluateAll((links) => links.map((a) => a.getAttribute("href")!));
  expect(addresses.length).toBeGreaterThan(4);
  for (const address of addresses) {
    const name = pageNames.find((each) => address.includes(`#${each}?`))!;
    await openPage(page, name, address);
    await expect(page.locator("#notes-slot")).toBeEmpty();
  }
});

for (const name of pageNames.filter((each) => each !== "story")) {
  test(`${name}: its guide has three steps, each restored by its link and marked`, async ({ page }) => {
    test.slow();
    await openPage(page, name);
    const guide = page.locator(`#${name}-page .guide`);
    const steps = guide.locator(".guide-step");
    await expect(steps).toHaveCount(3);
    for (const step of await steps.all()) {
      await step.click();
      await expect(step).toHaveAttribute("aria-current", "step");
      await expect(guide.locator("[aria-current]")).toHaveCount(1);
      await expect(guide.locator("[aria-current] + span")).toBeVisible();
      await expect(guide.locator("span:visible")).toHaveCount(1);
      await expect(page.locator("#notes-slot")).toBeEmpty();
      await expect(page).toHaveURL(new RegExp(`/${name}/`));
    }
  });
}

test("an example is chosen from the gallery, which then closes", async ({ page }) => {
  await openPage(page, "rotate");
  await page.getByText("Examples: what to look at first").click();
  await page.getByRole("link", { name: "Far away looks near" }).click();
  await expect(page.locator(".score output")).toHaveText("0.7935");
  await expect(page.locator(".gallery")).not.toHaveAttribute("open");
});

test("works from any folder: no address in the built page starts at the root", () => {
  const html = readFileSync("dist-site/index.html", "utf8");
  expect(html.match(/(?:src|href)="\/[^"]*"/g) ?? []).toEqual([]);
});
