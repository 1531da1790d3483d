/**
 * Five people, each from a first page to what they came for. Parts of their ways are tested elsewhere one by one; here each
 * goes all of it, by what is on the screen. ROPEWALK_SCREENSHOTS=1 keeps a picture of each step in build/walks.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { packed } from "./packed.js";
import { printedBy, programFolder } from "./programs.js";
import { drop, expect, openPage, readNumber, sidewaysOverflow, test, textOf } from "./site.js";

const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());
const scene = (page: Page, number: number) => page.locator(`.scene[data-scene="${number}"]`);
mkdirSync(programFolder, { recursive: true });

/** Pictures of a walk, numbered. */
function pictures(walk: string): (page: Page, step: string) => Promise<void> {
  let taken = 0;
  return async (page, step) => {
    taken++;
    if (process.env.ROPEWALK_SCREENSHOTS !== "1") return;
    await page.screenshot({ path: `build/walks/${walk}-${taken}-${step}.png` });
  };
}

/** A person answers when the page stands still. */
const stands = (page: Page) =>
  page.evaluate(async () => {
    let [last, still] = [Number.NaN, 0];
    while (still < 10) {
      await new Promise(requestAnimationFrame);
      still = scrollY === last ? still + 1 : 0;
      last = scrollY;
    }
  });

test("a newcomer reads all seven scenes, predicts in each, and leaves by a door that goes on where a scene was", async ({
  page,
}) => {
  const see = pictures("newcomer");
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto("./");
  await expect(page.locator("#story-page .alive")).toBeAttached();
  const drawing = page.locator("#story-stage");
  for (let number = 1; number <= 7; number++) {
    const here = scene(page, number);
    await expect(here.getByRole("heading")).toBeInViewport();
    await expect(drawing).toBeInViewport({ ratio: 0.9 });
    await stands(page);
    // The question comes before its answer, and both answers may be given.
    await expect(here.locator(".reveal")).toBeHidden();
    await see(page, `scene-${number}-asked`);
    await here
      .locator(`[data-guess=${number % 2 ? "right" : "wrong"}]`)
      .first()
      .click();
    await expect(here.locator(".reveal")).toContainText(
      number % 2 ? /^You guessed right\. \w/ : /^You guessed wrong\. \w/,
    );
    await expect(here.locator(".reveal")).toBeInViewport();
    await expect(page.locator(".scene-dots [aria-current]")).toHaveText(String(number));
    await see(page, `scene-${number}-answered`);
    await here.locator(".scene-next").click();
  }
  await expect(page.getByRole("heading", { name: "Use it in your code" })).toBeInViewport();
  await see(page, "doors");
  await page.getByRole("link", { name: "Turn the arrows of scene 4 by hand" }).click();
  // Scene 4 ended with both words 20 positions further on.
  await expect(page.getByRole("spinbutton", { name: "query position m" })).toHaveValue("40");
  await expect(page.locator(".score output")).toHaveText(/\d/);
  await see(page, "lab");
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Use it in your code" })).toBeInViewport();
});

test("an engineer drops a config.json on Doctor and takes verdict, change and command away", async ({
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const see = pictures("engineer");
  await page.setViewportSize({ width: 1440, height: 900 });
  await openPage(page, "doctor");
  await see(page, "empty");
  // Llama 3.1 as Transformers 5 saves it, which older readers do not understand.
  const llama3 = { rope_type: "llama3", factor: 8, low_freq_factor: 1, high_freq_factor: 4 };
  const config = {
    model_type: "llama",
    hidden_size: 4096,
    num_attention_heads: 32,
    max_position_embeddings: 131072,
    rope_parameters: { ...llama3, original_max_position_embeddings: 8192, rope_theta: 500000 },
  };
  const text = JSON.stringify(config, null, 2);
  expect(await drop(page, { name: "config.json", text })).toBe(true);
  const verdict = page.locator(".check-verdict");
  await expect(verdict).toHaveAttribute("data-light", "amber");
  await expect(page.getByRole("heading", { name: "Libraries differ" })).toBeInViewport();
  await see(page, "verdict");
  // The page says how to mend it, in a line that can be pasted, and shows the file that all read alike.
  await expect(verdict).toContainText("To do:");
  await page.getByRole("button", { name: "Copy as Markdown" }).click();
  await expect.poll(() => clipboard(page)).toContain("Libraries differ");
  const markdown = await clipboard(page);
  await page.getByRole("button", { name: "Copy the command" }).click();
  await expect.poll(() => clipboard(page)).toBe("npx ropewalk check config.json");
  writeFileSync(`${programFolder}/config.json`, text);
  const check = ["../../dist/cli.js", "check", "config.json"];
  const cli = spawnSync(process.execPath, check, { cwd: programFolder, encoding: "utf8" });
  expect(String(cli.status)).toBe(await verdict.getAttribute("data-code"));
  // The first paragraph below the light is the command's own sentence.
  const sentence = markdown.split("\n\n")[1]!;
  expect(cli.stdout.replace(/\s+/g, " ")).toContain(sentence.replace(/\s+/g, " "));
  await page.getByRole("figure", { name: "Pairs by wavelength" }).scrollIntoViewIfNeeded();
  await see(page, "figure");
  await page.getByRole("button", { name: "Copy the new config.json" }).click();
  await expect.poll(() => clipboard(page)).toMatch(/^\{/);
  await see(page, "change");
  // The file that was copied is read alike.
  const mended = await clipboard(page);
  expect(await drop(page, { name: "config.json", text: mended })).toBe(true);
  await expect(verdict).toHaveAttribute("data-light", "green");
  await see(page, "mended");
});

test("a developer copies a program that runs, and finds how to install it and what a function takes", async ({
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const see = pictures("developer");
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto("./");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator("#story-printed")).toHaveText(/\d/);
  await see(page, "eight-lines");
  const pages = page.getByRole("navigation", { name: "Pages" });
  await pages.getByRole("link", { name: "Lab", exact: true }).click();
  await page.getByRole("slider", { name: "query position m" }).fill("33");
  await page.getByText("Show me the code").click();
  await page.getByRole("button", { name: "Copy code" }).click();
  await expect(page.getByText("copied", { exact: true })).toBeVisible();
  await see(page, "code");
  const score = readNumber(await textOf(page.locator(".score output")));
  expect(Number(printedBy("walk", await clipboard(page)))).toBeCloseTo(score, 4);
  await pages.getByRole("link", { name: "Docs", exact: true }).click();
  const install = page.getByText("npm run build && npm pack");
  await expect(install).toBeVisible();
  await install.scrollIntoViewIfNeeded();
  await see(page, "install");
  await page.getByRole("combobox", { name: "Search the documentation" }).fill("rotate queries and keys");
  await expect(page.getByRole("option").first()).toBeVisible();
  await see(page, "search");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await see(page, "guide");
  await page.getByRole("link", { name: "API" }).first().click();
  await page.locator("#tsd-search-trigger").click();
  await page.locator("#tsd-search-input").fill("rotateQK");
  await page.locator("#tsd-search-results li a").first().click();
  await expect(page.getByText("rotateQK").first()).toBeVisible();
  await see(page, "api");
});

test("a teacher puts a scene on a page of another site, guesses there, and cites it", async ({
  page,
  context,
  baseURL,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const see = pictures("teacher");
  await openPage(page, "story", "#story/4");
  await page.getByRole("button", { name: "Copy the frame" }).click();
  await expect.poll(() => clipboard(page)).toContain("<iframe");
  const frame = await clipboard(page);
  expect(/src="([^"]+)"/.exec(frame)![1]!).toBe(`${baseURL}?embed=1#story?scene=4`);
  await see(page, "frame-copied");
  await page.getByRole("button", { name: "Copy the citation" }).click();
  await expect.poll(() => clipboard(page)).toMatch(/^@\w+\{/);
  const citation = await clipboard(page);
  for (const field of ["title", "author", "year", "note"])
    expect(citation).toMatch(new RegExp(`^\\s*${field} += \\{`, "m"));
  // A page of another site would not be under this site's policy.
  const lecture = `<!doctype html><html lang="en"><title>Lecture 7</title><h1>Lecture 7</h1>${frame}</html>`;
  await page.route("**/lecture.html", (route) => route.fulfill({ contentType: "text/html", body: lecture }));
  await page.goto("./lecture.html");
  const inside = page.frameLocator("iframe");
  await expect(inside.locator("#story-page .alive")).toBeAttached();
  await expect(inside.getByRole("heading", { name: "Two words, one angle between them" })).toBeVisible();
  await expect(inside.locator(".scene").filter({ visible: true })).toHaveCount(1);
  await expect(inside.locator(".site-head")).toBeHidden();
  await expect(inside.locator(".doors")).toBeHidden();
  await see(page, "embedded");
  await inside.getByRole("button", { name: "it stays" }).click();
  await expect(inside.locator("#story-reading-4")).toContainText("score 0.362");
  await see(page, "guessed");
  const whole = page.waitForEvent("popup");
  await inside.getByRole("link", { name: "Ropewalk: the whole site" }).click();
  await expect((await whole).getByRole("navigation", { name: "Pages" })).toBeVisible();
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true });

  /** Most bytes, gzipped, and most files that a first visit on a slow line waits for. */
  const [MOST_BYTES, MOST_FILES] = [80 * 1024, 20];

  test("a first visit on a slow line: the first scene answers before library and model have come", async ({ page }) => {
    test.slow();
    const see = pictures("phone");
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("Network.enable");
    // 1.6 Mbit/s and 150 ms, a slow mobile line; a processor four times as slow.
    const [down, up] = [200_000, 90_000];
    await cdp.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: 150,
      downloadThroughput: down,
      uploadThroughput: up,
    });
    await cdp.send("Emulation.setCPUThrottlingRate", { rate: 4 });
    // Files are counted until the page answers, in place of time, which depends on the machine.
    await page.addInitScript(() => {
      const look = () => {
        if (!document.querySelector("#story-page .alive")) return;
        observer.disconnect();
        const files = performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname);
        Object.assign(window, { before: files });
      };
      const observer = new MutationObserver(look);
      observer.observe(document, { childList: true, subtree: true });
    });
    await page.goto("./");
    await expect(page.locator("#story-page .alive")).toBeAttached();
    await see(page, "alive");
    const before = await page.evaluate(() => (window as unknown as { before: string[] }).before);
    expect(before.filter((path) => /\/lib\/|\.wasm$|safetensors|tokenizer/.test(path))).toEqual([]);
    const files = ["index.html", ...before.map((path) => path.slice(1))];
    expect(files.length).toBeLessThanOrEqual(MOST_FILES);
    const bytes = files.filter((path) => /\.(html|css|js)$/.test(path)).map(packed);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_BYTES);
    // A finger guesses, and reads the answer below the drawing.
    const first = scene(page, 1);
    await first.getByRole("button", { name: "the captain" }).tap();
    await expect(page.locator("#story-answer")).toHaveText("captain");
    await expect(first.locator(".reveal")).toBeVisible();
    await see(page, "guessed");
    await first.locator(".scene-next").tap();
    await expect(scene(page, 2).getByRole("heading")).toBeInViewport();
    await see(page, "second");
    // Library and model come in their own time.
    await expect(page.getByText("Answered in this page by the shipped model")).toBeAttached();
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Lab", exact: true }).tap();
    await expect(page.locator("#rotate-page .score output")).toHaveText(/\d/);
    expect(await sidewaysOverflow(page)).toBeLessThanOrEqual(0);
    await see(page, "lab");
  });
});
