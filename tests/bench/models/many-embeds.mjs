// Arguments: the package's address, the folder of the model, how many texts. Embeds one text after the other, as int8;
// prints { each, start, end }: milliseconds for each text of a hundred, and the memory before and after. Needs
// --expose-gc, so that what JavaScript has yet to collect does not count.
import { wordOf } from "./words.mjs";

const [address, folder, count] = process.argv.slice(2);
const BATCH = 100;
const ropewalk = await (await import(address)).load({ threads: 1 });
const model = await ropewalk.encoder(folder, { precision: "int8" });
/** One to four words. */
const textOf = (i) =>
  Array.from({ length: 1 + (i % 4) }, (_, word) => wordOf(1000 + ((i * 7 + word) % 20000))).join(" ");

async function batch(first) {
  const begun = performance.now();
  for (let i = first; i < first + BATCH; i++) await model.embed(textOf(i));
  return (performance.now() - begun) / BATCH;
}

function memory() {
  globalThis.gc();
  return { resident: process.memoryUsage.rss(), module: ropewalk.stats().memoryBytes };
}

// Buffers grow to their sizes before anything is compared.
await batch(0);
const start = memory();
const each = [];
for (let done = 0; done < Number(count); done += BATCH) each.push(await batch(done));
console.log(JSON.stringify({ each, start, end: memory() }));
