import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, expect, type Page } from "@playwright/test";
import { serveFolder } from "../../tools/run/serve.mjs";
import { drawnIn, pageNames } from "./pages.js";
import { maskedSentence } from "./site.js";

interface Site {
  readonly folder: string;
  readonly address: string;
  /** From here on nothing answers. */
  stop(): Promise<void>;
}

const end = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

/** A copy of the site in a subfolder of a server of its own, which can be stopped and changed. */
const test = base.extend<{ site: Site }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from here.
  site: async ({}, use) => {
    const root = mkdtempSync(join(tmpdir(), "ropewalk-site-"));
    const folder = join(root, "some/folder");
    cpSync("dist-site", folder, { recursive: true });
    const { server, address } = await serveFolder(root, 42100 + test.info().workerIndex);
    await use({ folder, address: `${address}some/folder/`, stop: () => end(server) });
    if (server.listening) await end(server);
    rmSync(root, { recursive: true, force: true });
  },
});
test.use({ serviceWorkers: "allow" });

async function visited(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    if (!navigator.serviceWorker.controller) {
      await new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve));
    }
  });
}

const caches = (page: Page) => page.evaluate(() => window.caches.keys());

test("after the first visit every page works without a network, from any folder", async ({ page, site }) => {
  test.slow();
  await visited(page, site.address);
  await site.stop();
  for (const name of pageNames) {
    await page.goto(`${site.address}#${name}`);
    await page.reload();
    await expect(page.locator(drawnIn(name)).first()).toBeAttached();
  }
  // Not from memory: words typed now are answered by the model that was kept.
  await page.goto(`${site.address}index.html#roformer`);
  await maskedSentence(page).fill("the king who the girls saw [MASK] tired .");
  await expect(page.locator(".fill-word").first()).toHaveText("was");
  // The cache does not answer for addresses outside the site.
  expect(
    await page.evaluate(() =>
      fetch("./nothing.json").then(
        () => "answered",
        () => "failed",
      ),
    ),
  ).toBe("failed");
});

test("without a network the documentation shows what was read, and says so of the rest", async ({ page, site }) => {
  await visited(page, site.address);
  await page.goto(`${site.address}docs/guide.html`);
  const title = await page.getByRole("heading", { level: 1 }).textContent();
  await site.stop();
  await page.goto(`${site.address}docs/guide.html`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(title!);
  await page.goto(`${site.address}docs/cpp.html`);
  await expect(page.getByRole("heading", { level: 1 })).toContainText("needs a network");
  await page.getByRole("link", { name: "Back to the playground" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Ropewalk");
});

test("a newer build is offered, taken when asked for, and the old one’s files go", async ({ page, site }) => {
  await visited(page, site.address);
  const before = await caches(page);
  expect(before).toHaveLength(1);
  const script = join(site.folder, "service-worker.js");
  const build = before[0]!.split(" ").at(-1)!;
  writeFileSync(script, readFileSync(script, "utf8").replace(build, "0123456789abcdef"));
  const html = join(site.folder, "index.html");
  const heading = /(?<=<h1[^>]*>).*?(?=<\/h1>)/;
  expect(readFileSync(html, "utf8")).toMatch(heading);
  writeFileSync(html, readFileSync(html, "utf8").replace(heading, "Newer"));

  await page.goto(`${site.address}#rotate?m=21`);
  await page.reload();
  await expect(page.getByText("A newer Ropewalk is ready")).toBeVisible();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Ropewalk");
  await page.getByRole("button", { name: "Reload" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Newer");
  await expect(page.getByRole("spinbutton", { name: "query position m" })).toHaveValue("21");
  await expect.poll(() => caches(page)).toEqual([before[0]!.replace(build, "0123456789abcdef")]);
});

test("whatever is kept is of this site", async ({ page, site }) => {
  await visited(page, site.address);
  const urls = await page.evaluate(async () => {
    const [name] = await window.caches.keys();
    const requests = await (await window.caches.open(name!)).keys();
    return requests.map(({ url }) => url);
  });
  expect(urls.every((url) => url.startsWith(site.address))).toBe(true);
  expect(urls).toContain(`${site.address}model/model.safetensors`);
});
