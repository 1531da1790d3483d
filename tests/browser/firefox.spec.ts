import { expect, test } from "@playwright/test";
import puppeteer, { type Browser, type Page } from "puppeteer-core";
import { load } from "ropewalk";
import { makeVectors } from "../../web/rope/vectors.js";
import { drawnIn, pageNames } from "./pages.js";

/** Milliseconds that only a hanging browser takes; less than a test may take. */
const PATIENCE = 240_000;
/** Stock Firefox, over WebDriver BiDi: Playwright drives only a Firefox of its own. */
let browser: Browser;
test.describe.configure({ mode: "serial" });
test.beforeAll(async () => {
  browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: process.env.ROPEWALK_FIREFOX ?? "/usr/bin/firefox-esr",
    headless: true,
    timeout: PATIENCE,
    protocolTimeout: PATIENCE,
  });
});
test.afterAll(() => browser?.close());

/** A page whose errors fail the test. */
async function watched(): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE);
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error instanceof Error ? error.message : String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  return { page, complaints };
}

const textAt = (page: Page, selector: string) => page.$eval(selector, (found) => found.textContent ?? "");

for (const name of pageNames) {
  test(`${name} opens in Firefox`, async ({ baseURL }) => {
    const { page, complaints } = await watched();
    await page.goto(`${baseURL}#${name}`);
    await page.waitForSelector(drawnIn(name));
    expect(await textAt(page, `#${name}-page h2`)).toMatch(/\w/);
    expect(complaints).toEqual([]);
    await page.close();
  });
}

test("Firefox computes the library’s score", async ({ baseURL }) => {
  const { page } = await watched();
  await page.goto(`${baseURL}#rotate?d=24&m=37.5&n=11&seed=42`);
  await page.waitForSelector(drawnIn("rotate"));
  const { q, k } = makeVectors("related", 42, 24);
  using rope = (await load()).rope({ headDim: 24 });
  const turnedQ = rope.rotate(q, { sequence: 1, heads: 1, positions: 37.5 });
  const turnedK = rope.rotate(k, { sequence: 1, heads: 1, positions: 11 });
  const product = turnedQ.reduce((sum, value, i) => sum + value * turnedK[i]!, 0);
  const shown = (await textAt(page, ".score output")).replace("\u2212", "-");
  expect(Number(shown)).toBeCloseTo(product, 4);
  await page.close();
});

test("the model answers in Firefox", async ({ baseURL }) => {
  const { page } = await watched();
  await page.goto(`${baseURL}#roformer`);
  await page.waitForSelector(".fill li");
  expect(await textAt(page, ".fill-word")).toBe("sailor");
  await page.close();
});
