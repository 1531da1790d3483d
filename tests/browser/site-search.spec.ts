/** `<ropewalk-search>` on a static server, from `ropewalk index` to the page that a hit leads to. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, type Page, test } from "@playwright/test";
import { serveFolder } from "../../tools/run/serve.mjs";
import { writeFiles } from "../ts/files.js";
import { axeViolations, COLOUR_RULES, sidewaysOverflow } from "./site.js";

const folder = mkdtempSync(join(tmpdir(), "ropewalk-site-search-"));
let server: Server;
let address: string;

const put = (name: string, text: string) => writeFiles(folder, [[name, text]]);

const pageWith = (element: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>Search</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; img-src data:">
<link rel="icon" href="data:,"><script type="module" src="element/search.js"></script></head>
<body><main><h1>Search</h1>${element}<p>The text of the page.</p></main></body></html>`;

const index = (...args: string[]) =>
  execFileSync(process.execPath, ["dist/cli.js", "index", join(folder, "pages"), ...args], { encoding: "utf8" });

test.beforeAll(async () => {
  const section = (id: string, heading: string, text: string) => `<h2 id="${id}">${heading}</h2><p>${text}</p>`;
  put(
    "pages/harbour.html",
    `<title>The harbour</title><main>${section("rope", "The rope", "the captain gave the rope to the sailor")}
     ${section("bread", "The bread", "the cook baked bread for the king")}</main>`,
  );
  put("pages/shop.md", "# Shop\n\n## Keys\n\nthe key K-4711 opens the castle\n\n## Lamps\n\na lamp for the boat\n");
  put("foreign.json", '{"passages":[{"address":"javascript:document.title=1","title":"Bad","text":"a rope"}]}');
  put("page.json", "<!doctype html><title>Not an index</title>");
  cpSync("web/public/embedder", join(folder, "embedder"), { recursive: true });
  index(
    "--model",
    join(folder, "embedder"),
    "--out",
    join(folder, "search.index"),
    "--element",
    join(folder, "element"),
  );
  index("--words", "--out", join(folder, "search.json"));
  const both = 'index="search.index" model="embedder"';
  const pages = {
    meaning: `<ropewalk-search ${both} placeholder="Search the pages"></ropewalk-search>`,
    words: '<ropewalk-search index="search.json" limit="1" label="Find"></ropewalk-search>',
    "no-index": '<ropewalk-search index="nowhere.json"></ropewalk-search>',
    "no-model": '<ropewalk-search index="search.index" model="nowhere"></ropewalk-search>',
    foreign: '<ropewalk-search index="foreign.json"></ropewalk-search>',
    page: '<ropewalk-search index="page.json"></ropewalk-search>',
  };
  for (const [name, element] of Object.entries(pages)) put(`${name}.html`, pageWith(element));
  ({ server, address } = await serveFolder(folder, 0));
});
test.afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const field = (page: Page) => page.getByRole("combobox");
const hits = (page: Page) => page.getByRole("option");
const status = (page: Page) => page.getByRole("status");
const open = (page: Page, name: string) => page.goto(`${address}${name}.html`);

test("finds by meaning and by words, after it said what it will download", async ({ page }) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  await open(page, "meaning");
  await expect(field(page)).toHaveAccessibleName("Search");
  await expect(field(page)).toHaveAttribute("placeholder", "Search the pages");
  await field(page).focus();
  await expect(status(page)).toHaveText("The first letter downloads an index of 1 KB and a model of 1.7 MB.");
  expect(asked.filter((each) => /GET .*(index|safetensors|web\.js)$/.test(each))).toEqual([]);
  await field(page).fill("the sailor got the rope from the captain");
  await expect(hits(page).first()).toContainText("The harbour · The rope");
  await expect.poll(() => asked.filter((each) => each === "GET /embedder/model.safetensors").length).toBe(1);
  // No word of the question stands in the text that answers it.
  await field(page).fill("a loaf");
  await expect(status(page)).toHaveText("4 results by meaning for a loaf");
  await field(page).fill("loaf");
  await expect(status(page)).toHaveText("4 results by meaning for loaf");
  await field(page).fill("K-4711");
  await expect(hits(page).first()).toContainText("Shop · Keys");
  await expect(hits(page).first().locator("mark")).toHaveText(["K", "4711"]);
  // Nothing of the hub, of decoders or of training.
  expect(asked.filter((each) => /decoder|train|analysis|hub/.test(each))).toEqual([]);
  expect(complaints).toEqual([]);
});

test("by keyboard: arrows choose, Escape closes, Enter follows the link", async ({ page }) => {
  await open(page, "meaning");
  await field(page).fill("the");
  await expect(hits(page)).toHaveCount(4);
  await expect(field(page)).toHaveAttribute("aria-expanded", "true");
  await page.keyboard.press("ArrowDown");
  await expect(hits(page).first()).toHaveAttribute("aria-selected", "true");
  const active = () => field(page).getAttribute("aria-activedescendant");
  expect(await active()).toBe(await hits(page).first().getAttribute("id"));
  await page.keyboard.press("ArrowUp");
  expect(await active()).toBe(null);
  await page.keyboard.press("ArrowUp");
  await expect(hits(page).last()).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Escape");
  await expect(field(page)).toHaveAttribute("aria-expanded", "false");
  await expect(hits(page)).toHaveCount(0);
  await expect(field(page)).toHaveValue("the");
  // Tab leaves the element at once, though its list scrolls.
  await page.setViewportSize({ width: 320, height: 200 });
  await field(page).fill("the");
  await expect(hits(page)).toHaveCount(4);
  const list = page.getByRole("listbox");
  expect(await list.evaluate((each) => each.scrollHeight > each.clientHeight)).toBe(true);
  await page.keyboard.press("Tab");
  await expect(page.locator("ropewalk-search:focus-within")).toHaveCount(0);
  await expect(hits(page)).toHaveCount(0);
  await field(page).fill("bread");
  await expect(hits(page).first()).toContainText("The bread");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${address}pages/harbour.html#bread`);
});

test("an index of words alone: no model, a limit, events, and no other code", async ({ page }) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await open(page, "words");
  await page.evaluate(() => {
    document.addEventListener("ropewalk-results", (event) => {
      document.title = String((event as CustomEvent<{ hits: unknown[] }>).detail.hits.length);
    });
    document.addEventListener("ropewalk-choose", (event) => {
      event.preventDefault();
      document.title = (event as CustomEvent<{ address: string }>).detail.address;
    });
  });
  await expect(field(page)).toHaveAccessibleName("Find");
  await field(page).fill("captai");
  await expect(hits(page)).toHaveCount(1);
  await expect(page).toHaveTitle("1");
  // A screen reader is told that there is more.
  await expect(status(page)).toHaveText("1 result for captai");
  await field(page).fill("the");
  await expect(status(page)).toHaveText("1 of 4 results for the");
  await field(page).fill("where is the captain");
  await expect(status(page)).toHaveText("1 result for where is the captain");
  // A slip of the finger.
  await field(page).fill("captian rope");
  await expect(hits(page).first()).toContainText("The rope");
  await hits(page).first().click();
  await expect(page).toHaveTitle(`${address}pages/harbour.html#rope`);
  await field(page).fill("zebra");
  await expect(status(page)).toHaveText("No results for zebra");
  await expect(field(page)).toHaveAttribute("aria-expanded", "false");
  expect(asked.filter((each) => /\.js$/.test(each))).toEqual(["/element/search.js"]);
});

test("stays closed for a visitor who has left the field", async ({ page }) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\.(index|safetensors)$/, async (route) => {
    await held;
    await route.continue().catch(() => {});
  });
  await open(page, "meaning");
  const answered = [/\.index$/, /\.safetensors$/].map((each) => page.waitForResponse(each));
  await field(page).focus();
  await field(page).blur();
  release();
  await Promise.all(answered);
  await page.evaluate(() => new Promise(requestAnimationFrame));
  await page.unrouteAll({ behavior: "wait" });
  const panel = page.locator("ropewalk-search [part=panel]");
  await expect(panel).toBeHidden();
  // At the next visit it says what it will download.
  await field(page).focus();
  await expect(status(page)).toContainText("The first letter downloads");
  await expect(panel).toBeVisible();
  let arrived = () => {};
  const model = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  await page.route("**/model.safetensors", async (route) => {
    await model;
    await route.continue();
  });
  await field(page).fill("loaf");
  await expect(status(page)).toContainText("Downloading a model");
  await page.keyboard.press("Escape");
  await expect(panel).toBeHidden();
  arrived();
  await expect(status(page)).toHaveText("4 results by meaning for loaf");
  await expect(panel).toBeHidden();
  await page.keyboard.press("ArrowDown");
  await expect(hits(page)).toHaveCount(4);
});

test("a download can be cancelled, and started again", async ({ page }) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let times = 0;
  await page.route("**/model.safetensors", async (route) => {
    if (route.request().method() === "GET" && ++times === 1) await held;
    await route.continue().catch(() => {});
  });
  await open(page, "meaning");
  await field(page).fill("bread");
  await expect(status(page)).toContainText("Downloading a model");
  await expect(page.getByRole("progressbar", { name: "Download" })).toBeVisible();
  await expect.poll(() => times).toBe(1);
  // Words are found meanwhile.
  await expect(hits(page)).toHaveCount(1);
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(status(page)).toHaveText("The download was cancelled. Results are by words alone.");
  await expect(field(page)).toBeFocused();
  // The next letter does not download again.
  await field(page).fill("bread for");
  await expect(status(page)).toHaveText(/^\d results? for bread for$/);
  expect(times).toBe(1);
  await field(page).fill("bread");
  await page.getByRole("button", { name: "Search by meaning" }).click();
  await expect(status(page)).toHaveText("4 results for bread");
  expect(times).toBe(2);
  release();
});

test("says in one plain sentence that something is not available, and to developers why", async ({ page }) => {
  const errors: string[] = [];
  page.on("console", (message) => {
    if (message.text().startsWith("<ropewalk-search>")) errors.push(message.text());
  });
  const index = "The search is not available at the moment.";
  await open(page, "no-index");
  await field(page).fill("rope");
  await expect(status(page)).toHaveText(index);
  await expect.poll(() => errors.at(-1)).toContain(`index: Error: ${address}nowhere.json answered 404`);
  await page.route("**/nowhere.json", (route) => route.abort());
  await page.getByRole("button", { name: "Try again" }).click();
  await expect.poll(() => errors.at(-1)).toContain(`index: Error: ${address}nowhere.json could not be reached`);
  await expect(status(page)).toHaveText(index);
  await open(page, "page");
  await page.evaluate(() => {
    document.addEventListener("ropewalk-error", (event) => {
      event.preventDefault();
      const { error, part } = (event as CustomEvent<{ error: Error; part: string }>).detail;
      document.title = `${part}: ${error.message}`;
    });
  });
  const before = errors.length;
  await field(page).fill("rope");
  await expect(status(page)).toHaveText(index);
  await expect(page).toHaveTitle("index: index: `saved` is damaged, or no file that `save` wrote");
  expect(errors).toHaveLength(before);
  await open(page, "no-model");
  await field(page).fill("bread");
  await expect(status(page)).toHaveText(
    "Search by meaning is not available at the moment. Results are by words alone.",
  );
  await expect(hits(page)).toHaveCount(1);
  await expect.poll(() => errors.at(-1)).toContain("model: RangeError: encoder: `files` has no config.json");
  // An address that would run a script is no hit.
  await open(page, "foreign");
  await field(page).fill("rope");
  await expect(status(page)).toHaveText("No results for rope");
});

test("keeps the query for a visitor who comes back", async ({ page }) => {
  await open(page, "words");
  await page.evaluate(() => history.replaceState({ own: 1 }, ""));
  await field(page).fill("the bread");
  await hits(page).first().click();
  await expect(page).toHaveURL(`${address}pages/harbour.html#bread`);
  // As browsers do that have thrown the page away.
  await page.route("**/words.html", (route) => route.continue());
  await page.goBack();
  await expect(field(page)).toHaveValue("the bread");
  expect(await page.evaluate(() => (history.state as { own: number }).own)).toBe(1);
  await field(page).focus();
  await expect(hits(page).first()).toContainText("The bread");
  await field(page).fill("lamp");
  await page.getByRole("heading", { name: "Search" }).click();
  await page.goto(`${address}pages/harbour.html`);
  await page.goBack();
  await expect(field(page)).toHaveValue("lamp");
  // Another visit begins with nothing.
  await page.goto(`${address}meaning.html`);
  await open(page, "words");
  await expect(field(page)).toHaveValue("");
});

for (const theme of ["light", "dark"] as const) {
  test(`${theme}, on a phone: accessible by axe, and nothing is wider than the window`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width: 320, height: 640 });
    await open(page, "words");
    expect(await axeViolations(page)).toEqual([]);
    await field(page).fill("the captain");
    await expect(hits(page)).toHaveCount(1);
    await page.keyboard.press("ArrowDown");
    expect(await sidewaysOverflow(page)).toBeLessThanOrEqual(0);
    expect(await axeViolations(page)).toEqual([]);
    expect(await axeViolations(page, COLOUR_RULES)).toEqual([]);
    const background = await field(page).evaluate((input) => getComputedStyle(input).backgroundColor);
    expect(background).toBe(theme === "light" ? "rgb(255, 255, 255)" : "rgb(18, 18, 18)");
  });
}
