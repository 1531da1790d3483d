/**
 * Bounded memory: a bfloat16 checkpoint of ModernBERT-base's shape, 298 MB of random weights that this test writes, loads
 * in 8 bits within 190 MB. The module's memory never shrinks, so its size at the end is the most that was needed.
 * tests/package/memory-page.test.ts does the same in Chromium.
 */
import { closeSync, openSync, statSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { load } from "ropewalk";
import { beforeAll, expect, it } from "vitest";
import { config, header, parameterCount, pieces } from "../package/large-checkpoint.mjs";
import { testFolder } from "./command-line.js";

const MB = 1_000_000;

const folder = testFolder("memory");
beforeAll(() => {
  writeFileSync(join(folder, "config.json"), JSON.stringify(config));
  const file = openSync(join(folder, "model.safetensors"), "w");
  for (const piece of pieces()) writeSync(file, piece);
  closeSync(file);
}, 240_000);

it("298 MB of bfloat16 load in 8 bits within 190 MB, from a file", { timeout: 240_000 }, async () => {
  const ropewalk = await load();
  // The ropes have a module and a memory of their own.
  const others = ropewalk.stats().memoryBytes;
  const said = await ropewalk.modelSize(folder, { precision: "int8" });
  const download = statSync(join(folder, "model.safetensors")).size;
  expect(said).toMatchObject({ parameters: parameterCount, download });
  expect(download).toBeGreaterThan(298 * MB);
  let largestPiece = 0;
  let before = 0;
  const onProgress = (loaded: number) => {
    largestPiece = Math.max(largestPiece, loaded - before);
    before = loaded;
  };
  using model = await ropewalk.encoder(folder, { precision: "int8", onProgress });
  expect(largestPiece).toBeLessThanOrEqual(4 * 2 ** 20);
  expect(before).toBe(download);
  const memory = ropewalk.stats().memoryBytes - others;
  expect(memory).toBeLessThanOrEqual(190 * MB);
  // It takes the memory that was announced, except for the lists of a model.
  expect(Math.abs(memory - said.memory.peak)).toBeLessThan(8 * MB);
  expect(model.parameterCount).toBe(parameterCount);
  const { lastHiddenState } = model.forward({ inputIds: [1, 2, 3, 4], sequence: 4 }, { logits: false });
  expect(lastHiddenState.every(Number.isFinite)).toBe(true);
});

it("what does not fit is refused before it is read, with both numbers", async () => {
  const ropewalk = await load();
  const large = { ...config, vocab_size: 2_000_000 };
  const { bytes, size } = header(large.vocab_size);
  expect(size).toBeGreaterThan(3_000 * MB);
  const endless = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes),
    pull: () => new Promise(() => {}),
  });
  const refused = ropewalk.encoder({ "config.json": large, "model.safetensors": new Response(endless) });
  await expect(refused).rejects.toThrow(/^encoder: loading needs \d+ bytes of memory; allowed: \d+, which can be had$/);
  await expect(refused).rejects.toMatchObject({ code: "out-of-memory" });
});

it("a file that is shorter than its header says is refused before anything else", async () => {
  const files = { "config.json": config, "model.safetensors": new Blob([header().bytes]) };
  const ropewalk = await load();
  for (const refused of [ropewalk.modelSize(files), ropewalk.encoder(files)])
    await expect(refused).rejects.toMatchObject({ code: "malformed" });
});
