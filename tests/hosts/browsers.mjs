// Opening a page in Chromium, Firefox or WebKit, until it says what its steps gave.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright";
import puppeteer from "puppeteer-core";
import { which } from "../../tools/setup/commands.mjs";

/** For everything in one page, on a busy machine. */
const PAGE_TIMEOUT_MS = 300_000;

const isRoot = process.getuid?.() === 0;

const executablePath = process.env.ROPEWALK_CHROMIUM ?? "/usr/bin/chromium";
const chromiumArgs = isRoot ? ["--no-sandbox"] : [];

/** A context of Chromium, with an unpacked extension if it is given: those need a profile, which is thrown away. */
async function chromiumContext(extension) {
  if (extension === undefined) {
    const browser = await chromium.launch({ executablePath, args: chromiumArgs });
    return { context: await browser.newContext(), version: browser.version(), close: () => browser.close() };
  }
  const profile = mkdtempSync(join(tmpdir(), "ropewalk-profile-"));
  const close = () => rmSync(profile, { recursive: true, force: true, maxRetries: 3 });
  const args = [...chromiumArgs, "--headless=new", `--disable-extensions-except=${extension}`];
  const options = { executablePath, headless: false, args: [...args, `--load-extension=${extension}`] };
  const context = await chromium.launchPersistentContext(profile, options);
  return { context, version: context.browser()?.version(), close: () => context.close().finally(close) };
}

/** In Chromium: what the page found, and the text of every script and module that it and its workers fetched. */
export async function inChromium(address, { extension } = {}) {
  const { context, version, close } = await chromiumContext(extension);
  try {
    const page = await context.newPage();
    const fetched = [];
    const complaints = [];
    context.on("response", (response) => {
      const body = response.text().catch(() => "");
      fetched.push(body.then((text) => ({ address: response.url(), text })));
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    await page.goto(address, { timeout: PAGE_TIMEOUT_MS });
    try {
      await page.waitForFunction(() => globalThis.results, undefined, { timeout: PAGE_TIMEOUT_MS });
    } catch (error) {
      throw new Error(`${error.message.split("\n")[0]} ${complaints.join(" / ")}`);
    }
    const results = await page.evaluate(() => globalThis.results);
    return { results, fetched: await Promise.all(fetched), version };
  } finally {
    await close();
  }
}

/** In stock Firefox, over WebDriver BiDi. */
export async function inFirefox(address) {
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: process.env.ROPEWALK_FIREFOX ?? "/usr/bin/firefox-esr",
    headless: true,
    timeout: PAGE_TIMEOUT_MS,
    protocolTimeout: PAGE_TIMEOUT_MS,
  });
  try {
    const page = await browser.newPage();
    await page.goto(address, { timeout: PAGE_TIMEOUT_MS });
    await page.waitForFunction(() => globalThis.results, { timeout: PAGE_TIMEOUT_MS });
    const results = await page.evaluate(() => globalThis.results);
    return { results, version: (await browser.version()).replace(/^firefox\//i, "") };
  } finally {
    await browser.close();
  }
}

const MINI_BROWSERS = ["webkit2gtk-4.1", "webkit2gtk-4.0"].map(
  (name) => `/usr/lib/${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu/${name}/MiniBrowser`,
);

/** The programs for WebKit on this machine (Debian: webkit2gtk-driver and xvfb), or null. */
function webkitPrograms() {
  const [driver, display] = [which("WebKitWebDriver"), which("Xvfb")];
  const browser = MINI_BROWSERS.find((path) => existsSync(path));
  return driver && display && browser ? { driver, display, browser } : null;
}

/** Why no page opens in WebKit here, if none does. */
export const noWebKit = () =>
  webkitPrograms() ? undefined : "Debian's `webkit2gtk-driver` and `xvfb` are not installed";

/** A port of this machine that nobody uses. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function until(what, work) {
  for (const begun = Date.now(); ; ) {
    try {
      const result = await work();
      if (result) return result;
    } catch (error) {
      if (Date.now() - begun > PAGE_TIMEOUT_MS) throw error;
    }
    if (Date.now() - begun > PAGE_TIMEOUT_MS) throw new Error(`no ${what} within ${PAGE_TIMEOUT_MS / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

/** In WebKit, the engine of Safari, over WebDriver. */
export async function inWebKit(address) {
  const { driver, display, browser } = webkitPrograms();
  const port = await freePort();
  // A display of its own: 99 and below are where people put theirs.
  const number = `:${100 + (port % 900)}`;
  const screen = spawn(display, [number, "-screen", "0", "1024x768x24", "-nolisten", "tcp"], { stdio: "ignore" });
  // As root WebKit's sandbox does not start; other users keep it.
  const env = { ...process.env, DISPLAY: number, ...(isRoot && { WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1" }) };
  const server = spawn(driver, [`--port=${port}`], { env, stdio: "ignore" });
  const call = async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    const { value } = await response.json();
    if (value?.error) throw new Error(`WebKitWebDriver: ${value.error}: ${value.message}`);
    return value;
  };
  try {
    const options = { binary: browser, args: ["--automation"] };
    const capabilities = { alwaysMatch: { "webkitgtk:browserOptions": options } };
    const session = await until("WebKitWebDriver", () => call("POST", "/session", { capabilities }));
    const at = `/session/${session.sessionId}`;
    try {
      await call("POST", `${at}/url`, { url: address });
      const ask = { script: "return window.results ?? null", args: [] };
      const results = await until("result of the page", () => call("POST", `${at}/execute/sync`, ask));
      return { results, version: session.capabilities.browserVersion };
    } finally {
      await call("DELETE", at).catch(() => {});
    }
  } finally {
    server.kill();
    screen.kill();
  }
}
