// One call of an encoder on one thread and on two. Served as it is written: the playground's bundle has nothing of it.
import { load } from "../lib/web.js";

try {
  const theme = localStorage.getItem("ropewalk-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden; the system's theme then holds.
}

const WARM_UPS = 2;
/** Odd, so that a median is one of the times. index.html states it, and the number of texts. */
const ROUNDS = 9;
/** Only a worker that does not start ever meets it. */
const WAIT_MS = 60_000;

const show = (id, text) => {
  document.getElementById(id).textContent = text;
};
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const people = ["captain", "sailor", "doctor", "painter", "merchant", "teacher", "farmer", "queen"];
const verbs = ["mended", "found", "borrowed", "carried"];
const things = ["rope", "lamp"];
const texts = people.flatMap((who) =>
  verbs.flatMap((did) =>
    things.map((what) => `the ${who} ${did} the ${what} in the harbour before the ship went to the island .`),
  ),
);

// By name, so that no file is asked for that the model does not have.
const names = ["config.json", "model.safetensors", "tokenizer.json", "modules.json", "1_Pooling/config.json"];
const files = Object.fromEntries(names.map((name) => [name, new URL(`../embedder/${name}`, import.meta.url)]));

/** The model in a module of its own with so many threads, once they run. */
async function open(threads) {
  const ropewalk = await load({ threads });
  const model = await ropewalk.encoder(files);
  const end = performance.now() + WAIT_MS;
  while (crossOriginIsolated && ropewalk.threads < threads && performance.now() < end) await sleep(10);
  return { threads, ropewalk, model };
}

function tellMemory(used) {
  const isolated = "Memory can be shared here, since crossOriginIsolated is true";
  if (!crossOriginIsolated)
    show("memory", "Memory cannot be shared here, since crossOriginIsolated is false: one thread does the work.");
  else if (used > 1) show("memory", `${isolated}: two threads do the work of one call.`);
  else
    show(
      "memory",
      `${isolated}, but the second thread did not start. The script of its worker may have come without the headers. ` +
        "Clear the stored data of this site and reload the page.",
    );
  document.getElementById("headers").hidden = crossOriginIsolated;
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

const bitsOf = (vector) => new Uint32Array(vector.buffer, vector.byteOffset, vector.length);
const haveSameBits = (some, others) =>
  some.length === others.length &&
  some.every((vector, i) => {
    const [mine, theirs] = [bitsOf(vector), bitsOf(others[i])];
    return mine.length === theirs.length && mine.every((bits, j) => bits === theirs[j]);
  });

/** Every round calls one after the other, so that what else the machine does meets both. */
async function measure(both) {
  const times = new Map(both.map(({ threads }) => [threads, []]));
  let same = true;
  for (let round = -WARM_UPS; round < ROUNDS; round++) {
    show("status", round < 0 ? "Warming up." : `Round ${round + 1} of ${ROUNDS}.`);
    const vectors = [];
    for (const { threads, model } of both) {
      // The page is drawn between two calls, not within one.
      await sleep(20);
      const start = performance.now();
      vectors.push(await model.embed(texts));
      if (round >= 0) times.get(threads).push(performance.now() - start);
    }
    same &&= haveSameBits(vectors[0], vectors[1]);
  }
  const [one, two] = both.map(({ threads }) => median(times.get(threads)));
  for (const { threads, ropewalk } of both) show(`used-${threads}`, String(ropewalk.threads));
  show("time-1", `${one.toFixed(1)} ms`);
  show("time-2", `${two.toFixed(1)} ms`);
  show("ratio", (two / one).toFixed(2));
  show("same", same ? "yes" : "no");
  show("status", "The measurement is complete.");
}

const button = document.getElementById("again");
async function run(both) {
  button.disabled = true;
  await measure(both);
  button.disabled = false;
}

try {
  const both = [await open(1), await open(2)];
  tellMemory(both[1].ropewalk.threads);
  button.addEventListener("click", () => run(both).catch(fail));
  await run(both);
} catch (error) {
  fail(error);
}

function fail(error) {
  show("status", `The measurement failed: ${error instanceof Error ? error.message : error}`);
}
