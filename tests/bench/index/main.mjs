// Search among vectors: `node tests/bench/index/main.mjs [count] [dimensions]`, in Node, on one thread, with dist/.
// Beside a plain loop over float32 products, and beside hnswlib-node, @orama/orama and voy-search where they are
// installed: `npm install --no-save hnswlib-node @orama/orama voy-search`. Times are medians of 30 queries after 5.
import { performance } from "node:perf_hooks";
import { load } from "../../../dist/node.js";

const [count = 100_000, dimensions = 384] = process.argv.slice(2).map(Number);
const QUERIES = 35;
const K = 10;

/** Reproducible vectors around 200 centres, of length 1, as those of texts are. */
function made(rows, seed) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  const centres = Array.from({ length: 200 }, () => Float32Array.from({ length: dimensions }, next));
  return Array.from({ length: rows }, () => {
    const centre = centres[Math.floor(((next() + 1) / 2) * 200)];
    const vector = centre.map((each) => each + 1.2 * next());
    const length = Math.hypot(...vector);
    return vector.map((each) => each / length);
  });
}

const all = made(count + QUERIES, 12345);
const [vectors, queries] = [all.slice(0, count), all.slice(count)];

async function timed(name, build, search, memory) {
  const before = process.memoryUsage();
  const start = performance.now();
  const index = await build();
  const seconds = (performance.now() - start) / 1000;
  const times = [];
  let found = 0;
  for (const [i, query] of queries.entries()) {
    const begin = performance.now();
    const ids = await search(index, query);
    times.push(performance.now() - begin);
    found += truths[i] === undefined ? ids.length : ids.filter((id) => truths[i].includes(id)).length;
    truths[i] ??= ids;
  }
  const middle = times.slice(5).sort((a, b) => a - b)[(QUERIES - 5) >> 1];
  const megabytes = memory?.(index) ?? (process.memoryUsage().rss - before.rss) / 1e6;
  const recall = (100 * found) / (QUERIES * K);
  console.log(
    `| ${name} | ${middle.toFixed(2)} ms | ${recall.toFixed(1)} % | ${megabytes.toFixed(0)} MB | ${seconds.toFixed(1)} s |`,
  );
}

/** Ids of the nearest by the plain loop, which runs first. */
const truths = [];

const optional = async (name) => {
  try {
    return await import(name);
  } catch {
    console.error(`${name} is not installed`);
    return undefined;
  }
};

console.log(`${count} vectors of ${dimensions}, the nearest ${K}`);
console.log("| | a query | of the nearest found | memory | built in |\n| --- | ---: | ---: | ---: | ---: |");

await timed(
  "a plain loop",
  () => vectors,
  (_, query) => {
    const best = [];
    for (let row = 0; row < vectors.length; row++) {
      const vector = vectors[row];
      let sum = 0;
      for (let i = 0; i < dimensions; i++) sum += vector[i] * query[i];
      if (best.length === K && sum <= best[K - 1].sum) continue;
      best.push({ sum, row });
      best.sort((a, b) => b.sum - a.sum);
      if (best.length > K) best.pop();
    }
    return best.map(({ row }) => String(row));
  },
  () => (count * dimensions * 4) / 1e6,
);

const ropewalk = await load();
for (const precision of ["float32", "int8"]) {
  const before = ropewalk.stats().heapBytes;
  await timed(
    `Ropewalk, ${precision}`,
    async () => {
      const index = ropewalk.index({ dimensions, precision });
      for (const [row, vector] of vectors.entries()) index.add({ id: String(row), vector });
      return index;
    },
    (index, query) => index.search(query, { k: K }).map(({ id }) => id),
    () => (ropewalk.stats().heapBytes - before + (precision === "float32" ? count * dimensions * 4 : 0)) / 1e6,
  );
}

const hnswlib = await optional("hnswlib-node");
if (hnswlib)
  await timed(
    "hnswlib-node",
    () => {
      const index = new (hnswlib.default ?? hnswlib).HierarchicalNSW("ip", dimensions);
      index.initIndex(count);
      for (const [row, vector] of vectors.entries()) index.addPoint(Array.from(vector), row);
      return index;
    },
    (index, query) => index.searchKnn(Array.from(query), K).neighbors.map(String),
  );

const orama = await optional("@orama/orama");
if (orama)
  await timed(
    "Orama",
    async () => {
      const index = orama.create({ schema: { vector: `vector[${dimensions}]` } });
      const rows = vectors.map((vector, row) => ({ id: String(row), vector: Array.from(vector) }));
      await orama.insertMultiple(index, rows, 5000);
      return index;
    },
    async (index, query) => {
      const vector = { value: Array.from(query), property: "vector" };
      const { hits } = await orama.searchVector(index, { mode: "vector", vector, similarity: -1, limit: K });
      return hits.map(({ id }) => id);
    },
  );

const voy = await optional("voy-search");
if (voy)
  await timed(
    "voy",
    () => {
      const embeddings = vectors.map((vector, row) => ({
        id: String(row),
        title: "",
        url: "",
        embeddings: Array.from(vector),
      }));
      return new voy.Voy({ embeddings });
    },
    (index, query) => index.search(query, K).neighbors.map(({ id }) => id),
  );
