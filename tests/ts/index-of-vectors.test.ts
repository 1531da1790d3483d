/** The index of vectors beside products with every entry, in float64. */
import { cosine, type Hit, load, type VectorIndex } from "ropewalk";
import { describe, expect, it, test } from "vitest";
import { random } from "./safetensors-file.js";

const ropewalk = await load();

/** Reproducible numbers from -1 to 1. */
function numbers(seed: number): () => number {
  const next = random(seed);
  return () => 2 * next() - 1;
}

function vectors(count: number, dimensions: number, seed: number): Float32Array[] {
  const next = numbers(seed);
  return Array.from({ length: count }, () => Float32Array.from({ length: dimensions }, next));
}

/** The header in the file of an index. */
function headerOf(saved: Uint8Array<ArrayBuffer>): Record<string, unknown> {
  const length = new DataView(saved.buffer).getUint32(8, true);
  return JSON.parse(new TextDecoder().decode(saved.subarray(12, 12 + length))) as Record<string, unknown>;
}

interface Kept {
  id: string;
  vector: Float32Array;
  fields: { n: number };
}

function nearest(entries: readonly Kept[], query: Float32Array, k: number): Hit[] {
  return entries
    .map(({ id, vector, fields }, order) => ({ id, score: cosine(query, vector), fields, order }))
    .sort((a, b) => b.score - a.score || a.order - b.order)
    .slice(0, k)
    .map(({ id, score, fields }) => ({ id, score, fields }));
}

async function filled(
  count: number,
  dimensions: number,
  seed: number,
): Promise<{ index: VectorIndex; entries: Kept[] }> {
  const index = ropewalk.index({ dimensions });
  const entries = vectors(count, dimensions, seed).map((vector, n) => ({ id: `e${n}`, vector, fields: { n } }));
  for (const entry of entries) index.add(entry);
  return { index, entries };
}

describe("an index of vectors", () => {
  test.each([
    [1, 1],
    [5, 3],
    [1100, 31],
    [3000, 64],
    [2500, 384],
  ])("finds the same hits in the same order as products with all of %i entries of %i", async (count, dimensions) => {
    const { index, entries } = await filled(count, dimensions, count);
    using _ = index;
    expect(index.size).toBe(count);
    for (const query of vectors(5, dimensions, 99)) {
      for (const k of [1, 10, 300]) expect(index.search(query, { k })).toEqual(nearest(entries, query, k));
    }
    // An entry itself, where cosines come close to 1.
    const own = entries[count >> 1]!;
    expect(index.search(own.vector)).toEqual(nearest(entries, own.vector, 10));
  });

  it("tells entries apart that differ by less than a code", async () => {
    const [base] = vectors(1, 48, 7);
    using index = ropewalk.index({ dimensions: 48 });
    const entries = Array.from({ length: 400 }, (_, n) => {
      const vector = base!.map((each, i) => each + (i === n % 48 ? n * 1e-6 : 0));
      return { id: String(n), vector, fields: { n } };
    });
    for (const entry of entries) index.add(entry);
    const [query] = vectors(1, 48, 8);
    expect(index.search(query!, { k: 20 })).toEqual(nearest(entries, query!, 20));
  });

  it("keeps the order of entries whose cosines are equal", async () => {
    using index = ropewalk.index({ dimensions: 2 });
    for (const id of ["b", "a", "c"]) index.add({ id, vector: [1, 1] });
    index.add({ id: "d", vector: [2, 2] });
    expect(index.search([1, 0]).map(({ id }) => id)).toEqual(["b", "a", "c", "d"]);
    index.remove("b");
    index.add({ id: "b", vector: [1, 1] });
    index.add({ id: "a", vector: [1, 1] });
    expect(index.search([1, 0]).map(({ id }) => id)).toEqual(["a", "c", "d", "b"]);
  });

  it("leaves out entries for which `where` is false, and asks about few", async () => {
    const { index, entries } = await filled(4000, 32, 3);
    using _ = index;
    const [query] = vectors(1, 32, 4);
    let asked = 0;
    const even = ({ n }: { n?: number }) => ++asked > 0 && n! % 2 === 0;
    const hits = index.search(query!, { k: 7, where: even });
    expect(hits).toEqual(
      nearest(
        entries.filter(({ fields }) => fields.n % 2 === 0),
        query!,
        7,
      ),
    );
    expect(asked).toBeLessThan(1000);
    expect(index.search(query!, { where: () => false })).toEqual([]);
    // As `Array.filter` takes what a function gives.
    const odd = ({ n }: { n?: number }) => n! & 1;
    for (const k of [7, 300])
      expect(index.search(query!, { k, where: odd as never })).toEqual(
        nearest(
          entries.filter(({ fields }) => fields.n % 2 === 1),
          query!,
          k,
        ),
      );
  });

  it("removes, replaces and adds as a list would", async () => {
    const next = numbers(5);
    const dimensions = 20;
    using index = ropewalk.index({ dimensions });
    let entries: Kept[] = [];
    for (let step = 0; step < 3000; step++) {
      const id = `e${Math.floor((next() + 1) * 400)}`;
      if (next() < -0.4) {
        expect(index.remove(id)).toBe(entries.some((each) => each.id === id));
        entries = entries.filter((each) => each.id !== id);
        continue;
      }
      const entry = { id, vector: Float32Array.from({ length: dimensions }, next), fields: { n: step } };
      index.add(entry);
      const at = entries.findIndex((each) => each.id === id);
      if (at < 0) entries.push(entry);
      else entries[at] = entry;
    }
    expect(index.size).toBe(entries.length);
    for (const query of vectors(5, dimensions, 6)) expect(index.search(query)).toEqual(nearest(entries, query, 10));
    using again = ropewalk.index({ saved: index.save() });
    for (const query of vectors(5, dimensions, 6)) expect(again.search(query)).toEqual(nearest(entries, query, 10));
    expect(again.save()).toEqual(index.save());
    // As `readFile` gives it: a view whose `slice` does not copy.
    using pooled = ropewalk.index({ saved: Buffer.concat([Buffer.from("x"), index.save()]).subarray(1) });
    expect(pooled.save()).toEqual(index.save());
    // As `Response.arrayBuffer` gives it.
    using fetched = ropewalk.index({ saved: index.save().buffer });
    expect(fetched.save()).toEqual(index.save());
  });

  it("keeps codes alone on request, in 420 bytes for 384 numbers", async () => {
    const entries = vectors(3000, 384, 11);
    using index = ropewalk.index({ dimensions: 384, precision: "int8" });
    for (const [n, vector] of entries.entries()) index.add({ id: String(n), vector, fields: { n } });
    using exact = ropewalk.index({ dimensions: 384 });
    for (const [n, vector] of entries.entries()) exact.add({ id: String(n), vector });
    const [query] = vectors(1, 384, 12);
    const [hits, best] = [index.search(query!), exact.search(query!)];
    expect(hits).toHaveLength(10);
    for (const [i, hit] of hits.entries()) expect(Math.abs(hit.score - best[i]!.score)).toBeLessThan(0.01);
    // 100,000 of these in 40 MB.
    expect(index.save().length / 3000).toBeLessThan(420);
    using again = ropewalk.index({ saved: index.save() });
    expect(again.search(query!)).toEqual(hits);
    expect(again.save()).toEqual(index.save());
  });

  it.each(["float32", "int8"] as const)("keeps the name of a model in %s, and refuses another", async (precision) => {
    using index = ropewalk.index({ dimensions: 2, precision, model: 'owner/é "a"' });
    index.add({ id: "a", vector: [1, 2] });
    expect(index.model).toBe('owner/é "a"');
    const saved = index.save();
    const before = ropewalk.stats().handles;
    for (const model of [undefined, 'owner/é "a"']) {
      using again = ropewalk.index({ saved, model });
      expect(again.model).toBe('owner/é "a"');
      expect(again.save()).toEqual(saved);
    }
    for (const model of ["owner/b", ""])
      expect(() => ropewalk.index({ saved, model })).toThrow(
        expect.objectContaining({
          message: `index: \`model\` is "${model}"; allowed: that of \`saved\`, "owner/é \\"a\\""`,
          code: "range",
          function: "index",
          argument: "model",
        }),
      );
    expect(ropewalk.stats().handles).toBe(before);
  });

  it("opens a file without the name of a model under any name, and does not add it", async () => {
    using index = ropewalk.index({ dimensions: 2 });
    index.add({ id: "a", vector: [1, 2] });
    const saved = index.save();
    expect(Object.keys(headerOf(saved))).toEqual(["dimensions", "keeps", "ids", "fields"]);
    for (const model of [undefined, "owner/a"]) {
      using again = ropewalk.index({ saved, model });
      expect(again.model).toBeUndefined();
      expect(again.save()).toEqual(saved);
    }
  });

  it.each([null, 1, true, {}, ["owner/a"]])("refuses %j as the name of a model, in a file as well", async (model) => {
    const refused = { code: "type", function: "index", argument: "model" };
    expect(() => ropewalk.index({ dimensions: 1, model: model as never })).toThrow(expect.objectContaining(refused));
    using index = ropewalk.index({ dimensions: 1 });
    const saved = index.save();
    expect(() => ropewalk.index({ saved, model: model as never })).toThrow(expect.objectContaining(refused));
    const json = Buffer.from(JSON.stringify({ ...headerOf(saved), model }));
    const file = Buffer.alloc(Math.ceil((12 + json.length) / 4) * 4);
    file.write("ropeidx1");
    file.writeUInt32LE(json.length, 8);
    json.copy(file, 12);
    expect(() => ropewalk.index({ saved: file })).toThrow(/`saved` is damaged/);
  });

  it("takes vectors of zeros, of any length and of any kind of array", async () => {
    using index = ropewalk.index({ dimensions: 3 });
    index.add({ id: "zero", vector: [0, 0, 0] });
    index.add({ id: "long", vector: Float64Array.of(3e30, 0, 0) });
    index.add({ id: "short", vector: [0, 1e-30, 0] });
    expect(index.search([1, 1, 0])).toEqual([
      { id: "long", score: expect.closeTo(Math.SQRT1_2, 12), fields: {} },
      { id: "short", score: expect.closeTo(Math.SQRT1_2, 12), fields: {} },
      { id: "zero", score: 0, fields: {} },
    ]);
    expect(index.search([0, 0, 0]).map(({ score }) => score)).toEqual([0, 0, 0]);
  });

  it("frees its memory, and keeps its fields from changes", async () => {
    const before = ropewalk.stats();
    const { index } = await filled(3000, 100, 1);
    const fields = { tags: ["a"] };
    index.add({ id: "x", vector: new Float32Array(100).fill(1), fields });
    fields.tags.push("b");
    expect(index.search(new Float32Array(100).fill(1), { k: 1 })[0]!.fields).toEqual({ tags: ["a"] });
    expect(ropewalk.stats().heapBytes).toBeGreaterThan(before.heapBytes + 3000 * 100);
    index.dispose();
    expect(ropewalk.stats()).toMatchObject({ handles: before.handles, heapBytes: before.heapBytes });
    expect(() => index.search([1])).toThrow("search: this VectorIndex has been disposed");
  });

  it("refuses what it cannot take, and stays as it was", async () => {
    using index = ropewalk.index({ dimensions: 3 });
    index.add({ id: "a", vector: [1, 2, 3] });
    const before = index.save();
    expect(() => index.add({ id: "b", vector: [1, 2] })).toThrow("add: `vector.length` is 2; allowed: 3");
    expect(() => index.add({ id: "b", vector: [1, Number.NaN, 3] })).toThrow("add: `vector[1]` is NaN");
    expect(() => index.add({ id: "b", vector: [1, 1e39, 3] })).toThrow(RangeError);
    expect(() => index.add({ id: 1, vector: [1, 2, 3] } as never)).toThrow(TypeError);
    expect(() => index.search([1, 2, 3], { k: 0 })).toThrow("search: `k` is 0; allowed: a whole number of at least 1");
    expect(() => index.search([1, 2, 3], { topK: 1 } as never)).toThrow("unknown option `topK`");
    expect(() => index.search([1, 2, 3], { where: 1 } as never)).toThrow(TypeError);
    expect(index.save()).toEqual(before);
    expect(() => ropewalk.index({ dimensions: 0 })).toThrow("index: `dimensions` is 0");
    expect(() => ropewalk.index({ dim: 3 } as never)).toThrow("unknown option `dim`");
    expect(() => ropewalk.index({ dimensions: 3, saved: before } as never)).toThrow(/nothing beside `saved`/);
  });

  it("takes as many numbers as an array has, whatever its iterator gives", async () => {
    using index = ropewalk.index({ dimensions: 2 });
    for (const id of ["a", "b"]) index.add({ id, vector: [1, 0] });
    const vector = Object.assign([0, 1], { [Symbol.iterator]: () => [0, 1, 9, 9].values() });
    index.add({ id: "a", vector });
    expect(index.search([1, 0]).map(({ id, score }) => [id, score])).toEqual([
      ["b", 1],
      ["a", 0],
    ]);
    expect(() => index.add({ id: "c", vector: [1n, 2n] as never })).toThrow("add: `vector[0]` is the BigInt 1");
    expect(() => index.search(["1", 2] as never)).toThrow('search: `vector[0]` is "1"; allowed: a number');
  });

  it("keeps no fields that JSON cannot keep as an object", async () => {
    using index = ropewalk.index({ dimensions: 1 });
    const loop: { inner?: object } = {};
    loop.inner = loop;
    for (const fields of [new Date(0), loop, { n: 1n }, { toJSON: () => undefined }]) {
      const refused = expect.objectContaining({ code: "type", function: "add", argument: "fields" });
      expect(() => index.add({ id: "a", vector: [1], fields })).toThrow(refused);
    }
    expect(index.size).toBe(0);
  });

  it("notices code of the caller that disposes of it or changes it in a call", async () => {
    const made = async () => {
      const index = ropewalk.index({ dimensions: 2, precision: "int8" });
      for (const id of ["a", "b", "c"]) index.add({ id, vector: [1, 2] });
      return index;
    };
    const ending = (index: VectorIndex) => ({
      length: 2,
      0: 1,
      get 1() {
        index.dispose();
        return 2;
      },
    });
    const disposed = expect.objectContaining({ code: "disposed" });
    let index = await made();
    expect(() => index.add({ id: "d", vector: ending(index) })).toThrow(disposed);
    index = await made();
    expect(() => index.search(ending(index))).toThrow(disposed);
    index = await made();
    const where = () => {
      index.dispose();
      return true;
    };
    expect(() => index.search([1, 2], { where })).toThrow(disposed);
    using other = await made();
    expect(() => other.search([1, 2], { where: () => other.remove("c") })).toThrow("that does not change the index");
    expect(other.search([1, 2]).map(({ id }) => id)).toEqual(["a", "b"]);
  });

  it("refuses codes and bounds that no vector has", async () => {
    using index = ropewalk.index({ dimensions: 2, precision: "int8" });
    index.add({ id: "a", vector: [1, -0.3] });
    const saved = index.save();
    // Two codes, then scale and error.
    for (const [from, value] of [
      [10, 128],
      [5, saved.at(-5)! | 128],
      [1, saved.at(-1)! | 128],
    ] as const) {
      const bytes = saved.slice();
      bytes[bytes.length - from] = value;
      expect(() => ropewalk.index({ saved: bytes })).toThrow(/`saved` is damaged/);
    }
  });

  it("refuses files that are damaged", async () => {
    const { index } = await filled(20, 8, 2);
    using _ = index;
    const saved = index.save();
    for (const size of [0, 7, 11, 40, saved.length - 1])
      expect(() => ropewalk.index({ saved: saved.slice(0, size) })).toThrow(/`saved` is damaged/);
    const handles = ropewalk.stats().handles;
    const next = numbers(9);
    for (let i = 0; i < 300; i++) {
      const bytes = saved.slice();
      // Anywhere in the head: JSON, lengths and the first bytes.
      bytes[Math.floor(((next() + 1) / 2) * 300)] = Math.floor((next() + 1) * 128);
      try {
        ropewalk.index({ saved: bytes }).dispose();
      } catch (error) {
        expect(error).toMatchObject({ code: expect.any(String) });
      }
    }
    expect(ropewalk.stats().handles).toBe(handles);
  });
});

test("cosine", () => {
  expect(cosine([1, 0], [1, 1])).toBeCloseTo(Math.SQRT1_2, 15);
  expect(cosine([1, 2], [-2, -4])).toBeCloseTo(-1, 15);
  expect(cosine([0, 0], [1, 1])).toBe(0);
  expect(() => cosine([1], [1, 2])).toThrow("cosine: `b.length` is 2; allowed: that of `a`, 1");
  const promised = Promise.resolve([1]) as unknown as number[];
  expect(() => cosine(promised, [1])).toThrow("cosine: `a` is an object of class Promise; allowed: one vector");
  expect(() => cosine([1], [[1]] as unknown as number[])).toThrow("cosine: `b` is an array; allowed: one vector");
});

it.each([
  ["float32", Number.NaN],
  ["float32", Number.POSITIVE_INFINITY],
  ["int8", Number.NaN],
] as const)("a saved row of %s that holds %d is refused by the call that reads it", async (precision, value) => {
  const index = ropewalk.index({ dimensions: 4, precision });
  for (const [n, vector] of vectors(3, 4, 5).entries()) index.add({ id: `e${n}`, vector });
  const saved = index.save();
  index.dispose();
  const before = ropewalk.stats().handles;
  new DataView(saved.buffer).setFloat32(saved.length - 8, value, true);
  expect(() => ropewalk.index({ saved })).toThrow(
    expect.objectContaining({
      message: `index: \`saved\` is damaged: the vector of "e2" holds ${value}`,
      code: "type",
      function: "index",
      argument: "saved",
    }),
  );
  expect(ropewalk.stats().handles).toBe(before);
});
