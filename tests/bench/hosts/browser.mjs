// Runs a suite in Chromium: a page of its own, cross-origin isolated, so that its clock has steps of 5 us.
import { copyFileSync, mkdirSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright";
import { isolatingHeaders, serveFolder } from "../../../tools/run/serve.mjs";

const here = fileURLToPath(new URL("..", import.meta.url));

async function bundle(folder) {
  await build({
    entryPoints: ["page", "loop-worker", "first-vector-page", "published-page"].map((name) =>
      join(here, `hosts/${name}.mjs`),
    ),
    outdir: folder,
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    // The peers have fields for their Node builds that a page must not take.
    mainFields: ["module", "browser", "main"],
    logLevel: "error",
  });
  mkdirSync(folder, { recursive: true });
  for (const name of ["page.html", "first-vector-page.html", "published-page.html"])
    copyFileSync(join(here, "hosts", name), join(folder, name));
}

/**
 * A started browser: { version, addresses, inPage, run(suite, options, report), close() }. All folders are below `root`;
 * `folder` is for the bundle.
 */
export async function openBrowser({ root, modules, models, folder, executablePath }) {
  await bundle(folder);
  const { server, address } = await serveFolder(root, 42870, isolatingHeaders);
  const url = (path) => new URL(relative(root, path), address).href;
  let browser;
  try {
    browser = await chromium.launch({
      executablePath,
      args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
    });
  } catch (error) {
    server.close();
    throw error;
  }
  const addresses = {
    web: url(join(root, "dist/web.js")),
    modules: url(modules),
    models: url(models),
    peers: url(join(here, "node_modules")),
    worker: url(join(folder, "loop-worker.js")),
  };
  /** Opens a page, runs `work(page)` and closes it; a context has a process and a cache of its own. */
  const inPage = async (name, ready, work) => {
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      await page.goto(url(join(folder, name)));
      await page.waitForFunction((member) => window[member] !== undefined, ready);
      return await work(page);
    } finally {
      await context.close();
    }
  };
  const firstVector = (request) =>
    inPage("first-vector-page.html", "firstVector", (page) =>
      page.evaluate((asked) => window.firstVector(asked), request),
    );
  return {
    version: browser.version(),
    addresses,
    inPage,
    async run(suite, options, report) {
      await inPage("page.html", "runSuite", async (page) => {
        await page.exposeFunction("report", report);
        await page.exposeFunction("firstVectorInFreshPage", firstVector);
        if (!(await page.evaluate(() => crossOriginIsolated))) throw new Error("the page is not cross-origin isolated");
        await page.evaluate(([name, at, how]) => window.runSuite(name, at, how), [suite, addresses, options]);
      });
    },
    async close() {
      await browser.close();
      server.close();
    },
  };
}
