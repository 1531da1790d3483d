/** Ten thousand calls of `embed` leave the memory of the module and of JavaScript as the first thousand left it. */
import { load } from "ropewalk";
import { expect, it } from "vitest";
import { filesOf, vocabulary } from "./model-folder.js";

const ropewalk = await load();
const collectGarbage = (globalThis as { gc?: () => void }).gc!;
const WORDS = ["the", "rope", "ship", "sailor", "ties", "knot", "sea"];
const MB = 1_000_000;

function measure(): { module: number; allocated: number; script: number } {
  const { memoryBytes, heapBytes } = ropewalk.stats();
  for (let i = 0; i < 3; i++) collectGarbage();
  return { module: memoryBytes, allocated: heapBytes, script: process.memoryUsage().heapUsed };
}

it.each(["float32", "int8"] as const)("embeds in flat memory in %s", { timeout: 240_000 }, async (precision) => {
  const files = filesOf("bert-minilm", { "vocab.txt": vocabulary() });
  using model = await ropewalk.encoder(files, { precision });
  const embed = async (calls: number) => {
    for (let i = 0; i < calls; i++) {
      const text = Array.from({ length: 1 + (i % 20) }, (_, j) => WORDS[(i + j) % WORDS.length]).join(" ");
      await model.embed(i % 10 === 0 ? [text, "the sea"] : [text]);
    }
  };
  await embed(1000);
  const before = measure();
  await embed(9000);
  const after = measure();
  expect(after.module).toBe(before.module);
  expect(Math.abs(after.allocated - before.allocated)).toBeLessThan(1024);
  // The engine compiles and counts less than this in the meantime; 100 bytes from each call would be more.
  expect(after.script - before.script).toBeLessThan(0.9 * MB);
});
