// Generates tokens in a cache that forgets what it held in the middle, and prints what each took and the memory at the
// start and at the end: node --expose-gc many-tokens.mjs PACKAGE FOLDER COUNT
import { config } from "./shape.mjs";

const [, , packagePath, folder, count] = process.argv;
const { load } = await import(packagePath);
const ropewalk = await load({ threads: 1 });
const files = { "config.json": config, "model.safetensors": `${folder}/model.safetensors` };
const model = await ropewalk.decoder(files, { precision: "int8", context: 512 });
const cache = model.cache();

/** Bytes of the module and of the process. */
function memory() {
  globalThis.gc();
  return { module: ropewalk.stats().memoryBytes, resident: process.memoryUsage().rss };
}

let logits = cache.feed([300]);
function generate() {
  if (cache.length === model.context) cache.drop(4, 260);
  let best = 0;
  for (let i = 1; i < logits.length; i++) if (logits[i] > logits[best]) best = i;
  logits = cache.feed([best]);
}
// Once around, so that all blocks are there.
for (let i = 0; i < 600; i++) generate();
const start = memory();
const each = [];
for (let i = 0; i < Number(count); i++) {
  const begun = performance.now();
  generate();
  each.push(performance.now() - begun);
}
console.log(JSON.stringify({ each, start, end: memory() }));
