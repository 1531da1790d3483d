/** The search of `<ropewalk-search>` in an index of words. */
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
