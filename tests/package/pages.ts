/** Pages of somebody else's in Chromium, and servers that show them under a policy. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { type Browser, chromium } from "playwright";
import puppeteer from "puppeteer-core";
import { afterAll } from "vitest";
import { testFolder } from "../ts/command-line.js";
import { fromRoot, writeFiles } from "../ts/files.js";
import { goldenPath } from "../ts/golden.js";

/** The strictest policy under which WebAssembly and workers run. */
export const STRICT = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'";

/** Closes what was opened here after the last test of the file. */
const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

const TYPES: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
};

interface Site {
  address: string;
  /** The paths that were asked for. */
  asked: string[];
}

/** Serves folders by the beginnings of paths, longest first in the list; paths that match `missing` are not found. */
export async function serveFolders(
  folders: [prefix: string, folder: string][],
  options: { headers?: Record<string, string>; missing?: RegExp } = {},
): Promise<Site> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    asked.push(pathname);
    const [prefix, folder] = folders.find(([each]) => pathname.startsWith(each)) ?? ["/", ""];
    const file = join(folder, pathname.slice(prefix.length) || "index.html");
    if (options.missing?.test(pathname) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": type, ...options.headers }).end(readFileSync(file));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  closing.push(() => server.close());
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked };
}

interface ModelPage {
  address: string;
  /** The folder of the model on this machine. */
  model: string;
}

/**
 * A page of one script under the strictest policy, with the package below /dist/ and the files of a model below /model/
 * and below `alias`. `headers` are sent besides.
 */
export async function serveModelPage(
  script: string,
  files: Iterable<[string, unknown]>,
  alias = "/model/",
  headers: Record<string, string> = {},
): Promise<ModelPage> {
  const folder = testFolder("page");
  const model = join(folder, "model");
  writeFiles(model, files);
  writeFiles(folder, [
    ["index.html", '<!doctype html><title></title><script type="module" src="/main.js"></script>'],
    ["main.js", script],
  ]);
  const { address } = await serveFolders(
    [
      ["/dist/", fromRoot("dist")],
      ["/model/", model],
      [alias, model],
      ["/", folder],
    ],
    { headers: { "content-security-policy": STRICT, ...headers } },
  );
  return { address, model };
}

export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: process.env.ROPEWALK_CHROMIUM ?? "/usr/bin/chromium",
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
  closing.push(() => browser.close());
  return browser;
}

/** The title that the page set, and all its complaints. */
export async function titleOf(browser: Browser, address: string): Promise<{ title: string; complaints: string[] }> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(address);
  await page.waitForFunction(() => document.title !== "", undefined, { timeout: 120_000 });
  const title = await page.title();
  await page.close();
  return { title, complaints: complaints.filter((text) => !text.includes("favicon")) };
}

/** The titles that pages set in Firefox, one after the other. */
export async function titlesInFirefox(...addresses: string[]): Promise<string[]> {
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: process.env.ROPEWALK_FIREFOX ?? "/usr/bin/firefox-esr",
    headless: true,
    timeout: 90_000,
    protocolTimeout: 90_000,
  });
  try {
    const titles: string[] = [];
    for (const address of addresses) {
      const tab = await browser.newPage();
      await tab.goto(address);
      await tab.waitForFunction(() => document.title !== "", { timeout: 90_000 });
      titles.push(await tab.title());
      await tab.close();
    }
    return titles;
  } finally {
    await browser.close();
  }
}

/** config.json and model.safetensors of a small model. */
export const golden = goldenPath("roformer/base");

/** The rest of a page's script: the title becomes the lines, or the error with its causes. */
export const tell = `(lines) => {
  Promise.all(lines).then(
    (told) => { document.title = told.join(" | "); },
    (error) => { document.title = "failed: " + error.message; },
  );
}`;

export const rotateSource = `async (load) => {
  const ropewalk = await load();
  const rope = ropewalk.rope({ headDim: 4 });
  const y = rope.rotate(Float32Array.of(1, 0, 1, 0), { sequence: 1, heads: 1, positions: 2 });
  return Array.from(y, (value) => value.toFixed(4)).join(" ");
}`;
export const rotated = "-0.4161 0.9093 0.9998 0.0200";

/** Both halves of a batch, which two workers compute, are the same; words are split before. */
export const inWorkersSource = `async (load, base) => {
  const ropewalk = await load();
  const config = await (await fetch(base + "config.json")).json();
  const vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "captain"].join("\\n");
  const model = await ropewalk.encoder({
    "config.json": config,
    "model.safetensors": base + "model.safetensors",
    "vocab.txt": new Blob([vocabulary]),
  }, { workers: 2 });
  const { lastHiddenState } = await model.forward({ inputIds: [1, 2, 3, 1, 2, 3], batch: 2, sequence: 3 });
  const half = lastHiddenState.length / 2;
  const same = lastHiddenState.subarray(0, half).every((value, i) => value === lastHiddenState[half + i]);
  const filled = await model.fillMask("the [MASK]", { topK: 3 });
  model.dispose();
  return "workers " + same + " " + filled[0].length;
}`;
export const inWorkers = "workers true 3";
