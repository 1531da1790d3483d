/** With 8-bit weights Chromium and Firefox give the bits that the native library gives: tests/cpp/int8_bits_test.cpp. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import puppeteer from "puppeteer-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { filesOf, vocabulary } from "../ts/model-folder.js";
import { type ModelPage, openBrowser, serveModelPage, tell, titleOf } from "./pages.js";
import { root } from "./project.mjs";

const pins = JSON.parse(readFileSync(join(root, "tests/pins/int8.json"), "utf8")) as Record<string, string>;

const page = `
  import { load } from "/dist/web.js";
  const embedding = async () => {
    const model = await (await load()).encoder("/model", { precision: "int8" });
    const vector = await model.embed("the rope");
    let hash = 0xcbf29ce484222325n;
    for (const byte of new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength))
      hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
    return hash.toString(16).padStart(16, "0");
  };
  (${tell})([embedding()]);
`;

let site: ModelPage;
beforeAll(async () => {
  site = await serveModelPage(page, filesOf("bert-labse", { "vocab.txt": vocabulary() }));
});
afterAll(() => site?.close());

it("an embedding in Chromium has the pinned bits", async () => {
  const browser = await openBrowser();
  try {
    expect((await titleOf(browser, site.address)).title).toBe(pins["the rope"]);
  } finally {
    await browser.close();
  }
});

it("an embedding in Firefox has the pinned bits", async () => {
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: process.env.ROPEWALK_FIREFOX ?? "/usr/bin/firefox-esr",
    headless: true,
    timeout: 90_000,
    protocolTimeout: 90_000,
  });
  try {
    const tab = await browser.newPage();
    await tab.goto(site.address);
    await tab.waitForFunction(() => document.title !== "", { timeout: 90_000 });
    expect(await tab.title()).toBe(pins["the rope"]);
  } finally {
    await browser.close();
  }
});
