/** Bounded memory in Chromium: 298 MB of bfloat16 from a stream load in 8 bits within 190 MB. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { header, parameterCount } from "./large-checkpoint.mjs";
import { openBrowser, serveModelPage, tell, titleOf } from "./pages.js";

const page = `
  import { load } from "/dist/web.js";
  import { config, header, pieces } from "/model/large-checkpoint.mjs";
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

const source = readFileSync(new URL("large-checkpoint.mjs", import.meta.url));
const site = await serveModelPage(page, [["large-checkpoint.mjs", source]]);
const browser = await openBrowser();

it("a stream of 298 MB loads within 190 MB", async () => {
  const { title } = await titleOf(browser, site.address);
  const told = JSON.parse(title) as Record<string, unknown>;
  expect(told).toMatchObject({ parameters: parameterCount, download: header().size, finite: true });
  expect(told.memory).toBeLessThanOrEqual(190_000_000);
});
