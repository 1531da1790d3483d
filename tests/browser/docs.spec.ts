import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { hubHosts } from "../../web/model/hub.js";
import { pageNames, pathOf } from "../../web/pages/index.js";
import { axeViolations, COLOUR_RULES, expect, openPage, sidewaysOverflow, test } from "./site.js";

const site = "dist-site";
const pages = readdirSync(site, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"));
const playground = pageNames.map((name) => join(pathOf(name), "index.html"));
const source = (page: string) => readFileSync(join(site, page), "utf8");

test("every relative link of the site leads to what is there, wherever the site lies", () => {
  expect(pages.length).toBeGreaterThan(40);
  const wrong: string[] = [];
  const ids = new Map<string, Set<string>>();
  const idsOf = (page: string) => {
    const found = ids.get(page) ?? new Set(Array.from(source(page).matchAll(/ id="([^"]+)"/g), ([, id]) => id!));
    ids.set(page, found);
    return found;
  };
  for (const page of pages) {
    // Pages of the playground count from the root, wherever they stand.
    const folder = join(dirname(page), /<base href="([^"]*)"/.exec(source(page))?.[1] ?? ".");
    // Neither that root itself nor code that is shown is a link.
    const shown = source(page).replace(/<base [^>]*>|<pre.*?<\/pre>/gs, "");
    for (const [, raw = ""] of shown.matchAll(/ (?:href|src)="([^"]*)"/g)) {
      const address = raw.replaceAll("&amp;", "&");
      if (/^(https?|data|mailto):/.test(address)) continue;
      const [path = "", fragment = ""] = address.split("#");
      // The playground's own fragments are pages; address.spec.ts reads them.
      if (/^(\.\/)?([\w-]+\/)?$/.test(path) && pageNames.some((name) => fragment.startsWith(`${name}?`))) continue;
      const target = path ? join(folder, decodeURIComponent(path)) : page;
      const file = statSync(join(site, target), { throwIfNoEntry: false })?.isDirectory()
        ? join(target, "index.html")
        : target;
      const outside = address.startsWith("/") || relative(site, join(site, file)).startsWith("..");
      if (outside || !existsSync(join(site, file))) wrong.push(`${page}: ${address}`);
      else if (
        fragment &&
        file.endsWith(".html") &&
        file !== "index.html" &&
        !idsOf(file).has(decodeURIComponent(fragment))
      )
        wrong.push(`${page}: ${address} has no such place`);
    }
  }
  expect(wrong).toEqual([]);
});

test("no page has a script or a style of its own, and each carries a policy that forbids them", () => {
  for (const page of pages) {
    expect(source(page), page).not.toMatch(/<script>|<script [^>]*>[^<]|<style| style="| on[a-z]+="/);
    const policy = /Content-Security-Policy" content="([^"]+)"/.exec(source(page))?.[1]?.replaceAll("&#39;", "'") ?? "";
    expect(policy, page).toContain("default-src 'none'");
    // The playground may ask one hub, when its visitor does; nothing else of the site may ask anybody.
    const others = playground.includes(page) ? policy.replace(` ${hubHosts.join(" ")}`, "") : policy;
    expect(others, page).not.toMatch(/unsafe-inline|'unsafe-eval'|https?:/);
  }
});

test("the playground leads to the guide, the guide to the API, and all of it works under the policy", async ({
  page,
}) => {
  await openPage(page, "rotate");
  await page.getByRole("link", { name: "Docs", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Ropewalk" })).toBeVisible();
  await expect(page.getByRole("img").first()).toBeVisible();
  await page.getByRole("banner").getByRole("link", { name: "Lab", exact: true }).click();
  await expect(page.locator("#rotate-page")).toBeVisible();
  await page.goBack();
  await page.getByRole("link", { name: "API" }).click();
  await page.locator("#tsd-search-trigger").click();
  await page.locator("#tsd-search-input").fill("rotateQK");
  await expect(page.locator("#tsd-search-results li").first()).toContainText("rotateQK");
  await page.locator("#tsd-search-results li a").first().click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Rope");
  await page.getByRole("link", { name: "Lab", exact: true }).click();
  await expect(page.locator("#rotate-page")).toBeVisible();
});

test("the documentation is searched by words, without a model", async ({ page }) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.goto("./docs/index.html");
  await page.getByRole("combobox", { name: "Search the documentation" }).fill("chat template");
  await expect(page.getByRole("option").first()).toContainText(/chat|conversation/i);
  await page.getByRole("combobox").fill("rope_theta");
  await expect(page.getByRole("option").first().getByText("rope_theta", { exact: true }).first()).toBeVisible();
  const href = (await page.getByRole("option").first().getAttribute("href"))!;
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(href);
  expect(asked.filter((path) => /\/dist\/|model|wasm|\/assets\/.*\.js$/.test(path))).toEqual([]);
});

for (const theme of ["light", "dark"] as const) {
  test(`the guide, ${theme}: accessible by axe, and it fits a phone`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width: 390, height: 844 });
    for (const file of pages.filter((name) => dirname(name) === "docs")) {
      await page.goto(`./${file}`);
      expect(await sidewaysOverflow(page)).toBeLessThanOrEqual(0);
      // Rows of a table are alike, and some tables have hundreds.
      await page.evaluate(() => {
        for (const row of document.querySelectorAll("tbody tr:nth-child(n + 4)")) row.remove();
      });
      expect(await axeViolations(page, theme === "light" ? undefined : COLOUR_RULES)).toEqual([]);
    }
  });
}

test("the theme is chosen in the documentation, too, and holds in the playground and for pictures", async ({
  page,
}) => {
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto("./docs/index.html");
  const dark = page.getByRole("radio", { name: "Dark" });
  await dark.check({ force: true });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const chosen = await background();
  const sources = await page.locator("picture source").all();
  expect(sources.length).toBeGreaterThan(0);
  for (const source of sources) await expect(source).toHaveAttribute("media", "all");
  await openPage(page, "rotate");
  expect(await background()).toBe(chosen);
  await page.getByRole("radio", { name: "Auto" }).check({ force: true });
  await page.goto("./docs/guide.html");
  expect(await background()).not.toBe(chosen);
  await expect(page.getByRole("radio", { name: "Auto" })).toBeChecked();
});

test("the theme that was chosen in the playground holds in the documentation", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await openPage(page, "rotate");
  await page.getByRole("radio", { name: "Dark" }).check({ force: true });
  for (const file of ["docs/index.html", "docs/api/index.html"]) {
    await page.goto(`./${file}`);
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(Number(/\d+/.exec(background)![0])).toBeLessThan(60);
  }
});
