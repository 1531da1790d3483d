/** The search of `<ropewalk-search>` in an index of words. */
import { load } from "ropewalk";
import { expect, it } from "vitest";
import { Finder } from "../../bindings/ts/search/finder.js";

it("shows a part of a page once, by the best of its pieces", async () => {
  const passage = (address: string, text: string) => ({ address, title: "Ropes", text });
  const passages = [
    passage("ropes.html#long", "a rope of hemp, and some other words about the harbour"),
    passage("ropes.html#long", "rope rope rope"),
    passage("ropes.html#long", "a rope of flax, and some other words about the ship"),
    passage("ropes.html#short", "one more rope, of which not much is said here or anywhere else"),
  ];
  const index = new URL(`data:application/json,${encodeURIComponent(JSON.stringify({ passages }))}`);
  const finder = await Finder.fetch(index, new AbortController().signal, () => {});
  const { found, total } = await finder.find("rope", 1, new AbortController().signal);
  expect([found.length, total]).toEqual([1, 2]);
  const { found: both } = await finder.find("how is a rope", 2, new AbortController().signal);
  expect(both.map(({ passage: { address, text } }) => [address, text])).toEqual([
    ["ropes.html#long", "rope rope rope"],
    ["ropes.html#short", passages[3]!.text],
  ]);
  // Words that make a sentence count where there are no others.
  expect((await finder.find("is", 2, new AbortController().signal)).total).toBe(1);
  expect((await finder.find("is zebra", 2, new AbortController().signal)).total).toBe(0);
});

it("opens an index with the hub's model that made it, or one that has no such name", async () => {
  const ropewalk = await load();
  using index = ropewalk.index({ dimensions: 2, precision: "int8", model: "hub:owner/a" });
  index.add({ id: "0", vector: [1, 0], fields: { address: "a.html", title: "A", text: "a rope" } });
  const address = new URL(`data:application/octet-stream;base64,${Buffer.from(index.save()).toString("base64")}`);
  const signal = new AbortController().signal;
  const encoder = { dimensions: 2, dispose() {} };
  const entry = {
    load: async () => ({ index: ropewalk.index.bind(ropewalk), encoder: async () => encoder }),
    hubFiles: () => ({}),
  };
  const opened = async (model: string) => {
    const finder = await Finder.fetch(address, signal, () => {});
    await finder.loadModel(entry as never, model, "http://a/", { signal, onProgress: () => {} });
    finder.dispose();
  };
  await opened("hub:owner/a");
  await opened("models/a");
  await expect(opened("hub:owner/b")).rejects.toThrow(
    '`model` is "hub:owner/b"; allowed: that of `saved`, "hub:owner/a"',
  );
});
