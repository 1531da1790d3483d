/** Bounded memory in Chromium: 298 MB of bfloat16 from a stream load in 8 bits within 190 MB. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import { header, parameterCount } from "./large-checkpoint.mjs";
import { openBrowser, type Site, serveFolders, tell, titleOf } from "./pages.js";
import { root } from "./project.mjs";

const page = `
  import { load } from "/dist/web.js";
  import { config, header, pieces } from "/tests/large-checkpoint.mjs";
  const files = () => {
    const all = pieces();
    const pull = (controller) => {
      const { done, value } = all.next();
      if (done) controller.close();
      else controller.enqueue(value.slice());
    };
    const stream = new ReadableStream({ pull }, { highWaterMark: 0 });
    return { "config.json": config, "model.safetensors": new Response(stream) };
  };
  const measure = async () => {
    const ropewalk = await load();
    const others = ropewalk.stats().memoryBytes;
    const { parameters, download } = await ropewalk.modelSize(files(), { precision: "int8" });
    const model = await ropewalk.encoder(files(), { precision: "int8" });
    const memory = ropewalk.stats().memoryBytes - others;
    const { lastHiddenState } = model.forward({ inputIds: [1, 2, 3, 4], sequence: 4 }, { logits: false });
    return JSON.stringify({ parameters, download, memory, finite: lastHiddenState.every(Number.isFinite) });
  };
  (${tell})([measure()]);
`;

let folder: string;
let site: Site;
let browser: Browser;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ropewalk-memory-page-"));
  writeFileSync(
    join(folder, "index.html"),
    '<!doctype html><title></title><script type="module" src="/main.js"></script>',
  );
  writeFileSync(join(folder, "main.js"), page);
  const tests = join(root, "tests/package");
  site = await serveFolders([
    ["/dist/", join(root, "dist")],
    ["/tests/", tests],
    ["/", folder],
  ]);
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  site?.server.close();
  rmSync(folder, { recursive: true, force: true });
});

it("a stream of 298 MB loads within 190 MB", async () => {
  const { title } = await titleOf(browser, site.address);
  const told = JSON.parse(title) as Record<string, unknown>;
  expect(told).toMatchObject({ parameters: parameterCount, download: header().size, finite: true });
  expect(told.memory).toBeLessThanOrEqual(190_000_000);
});
