/** Operations on caches, with a made-up tokenizer of words. */
import { load } from "ropewalk";
import { describe, expect, it } from "vitest";
import { decoderFiles, openDecoder, VOCABULARY } from "./decoder-folder.js";

const ropewalk = await load();

describe("caches", async () => {
  const model = await openDecoder();
  const ids = Array.from({ length: 40 }, (_, i) => (i * 7) % VOCABULARY);

  it("prefill as feed does, and stay as they are on cancel", async () => {
    using long = await openDecoder({}, 400);
    const many = Array.from({ length: 300 }, (_, i) => (i * 11) % VOCABULARY);
    using cache = long.cache();
    using other = long.cache();
    cache.feed([3, 4]);
    other.feed([3, 4]);
    const done: number[] = [];
    const logits = await cache.prefill(many, { onProgress: (count) => done.push(count) });
    expect(logits).toEqual(other.feed(many));
    expect(done.at(-1)).toBe(300);
    const before = cache.keys(1);
    const abort = new AbortController();
    const filling = cache.prefill(many.slice(0, 90), {
      signal: abort.signal,
      onProgress: () => abort.abort(new Error("stop")),
    });
    expect(() => cache.feed([1])).toThrow("`prefill` is filling this cache");
    await expect(filling).rejects.toThrow("stop");
    expect(cache.length).toBe(302);
    expect(cache.keys(1)).toEqual(before);
    cache.feed([1]);
  });

  it("fork, save and restore", () => {
    using cache = model.cache();
    cache.feed(ids);
    cache.drop(3, 9);
    using copy = cache.fork();
    using back = model.restore(cache.save().buffer);
    const expected = cache.feed([5, 6]);
    expect(copy.feed([5, 6])).toEqual(expected);
    expect(back.feed([5, 6])).toEqual(expected);
    expect(back.explain()).toBe(cache.explain());
    const bytes = cache.save();
    bytes[100]! ^= 1;
    expect(() => model.restore(bytes)).toThrow("`bytes` is damaged");
    expect(() => model.restore(new Uint8Array(3))).toThrow("`bytes` is damaged");
  });

  it("keep their rotation where they are asked to", () => {
    using cache = model.cache();
    cache.feed(ids);
    using wrong = cache.fork();
    const before = wrong.keys(0);
    wrong.drop(3, 9, { rotate: false });
    cache.drop(3, 9);
    const row = before.length / ids.length;
    expect(wrong.keys(0).subarray(3 * row)).toEqual(before.subarray(9 * row));
    expect(wrong.explain()).toContain("1 drop without rotation");
    expect(wrong.feed([5])).not.toEqual(cache.feed([5]));
  });

  it("refuse what is out of range, and stay as they are", () => {
    using cache = model.cache();
    cache.feed(ids);
    const keys = cache.keys(0);
    using other = model.cache({ keys: "raw" });
    using chunk = model.chunk([1, 2, 3]);
    expect(() => cache.feed(ids)).toThrow(RangeError);
    expect(() => cache.feed([VOCABULARY])).toThrow("`ids[0]` is 61; allowed: 0 to 60");
    expect(() => cache.feed("text" as never)).toThrow(TypeError);
    expect(() => cache.trim(41)).toThrow("`length` is 41");
    expect(() => cache.trim(0.5)).toThrow("`length` is 0.5");
    expect(() => cache.drop(5, 4)).toThrow("`from` is 5");
    expect(() => cache.drop(4, 5, { rotate: 0 as never })).toThrow("`rotate` is 0; allowed: true or false");
    other.feed(ids);
    expect(() => other.drop(4, 5, { rotate: false })).toThrow("`rotate` is false; allowed: true for raw keys");
    expect(() => cache.append(chunk, { to: 9 })).toThrow("`to` is 9");
    expect(() => other.append(chunk)).toThrow("`chunk`");
    expect(() => cache.append({} as never)).toThrow(TypeError);
    expect(() => cache.rescale({ rope_type: "linear" })).toThrow("factor");
    expect(() => cache.keys(3)).toThrow("`layer` is 3");
    expect(() => model.cache({ keys: "turned" as never })).toThrow("`keys`");
    expect(() => model.cache({ dtype: "int4" as never })).toThrow("`dtype`");
    expect(cache.length).toBe(40);
    expect(cache.keys(0)).toEqual(keys);
  });

  it("go with their model", async () => {
    const before = ropewalk.stats().handles;
    const own = await openDecoder();
    const cache = own.cache();
    const chunk = own.chunk([1, 2]);
    const copy = cache.fork();
    own.dispose();
    own.dispose();
    for (const call of [() => cache.length, () => copy.feed([1]), () => chunk.tokens(), () => own.cache()])
      expect(call).toThrow("has been disposed");
    expect(ropewalk.stats().handles).toBe(before);
  });

  it("keep less in smaller types", () => {
    const bytes = (["float32", "float16", "int8"] as const).map((dtype) => {
      using cache = model.cache({ dtype });
      cache.feed(ids);
      return cache.bytes;
    });
    expect(bytes[1]).toBeLessThanOrEqual(bytes[0]! / 2);
    expect(bytes[2]).toBeLessThan(bytes[1]!);
  });

  it("have the same logits in int8, in pieces and at once", async () => {
    using small = await ropewalk.decoder(decoderFiles(), { precision: "int8", context: 64 });
    using once = small.cache();
    using pieces = small.cache();
    const expected = once.feed(ids);
    pieces.feed(ids.slice(0, 17));
    pieces.feed(ids.slice(17, 18));
    expect(pieces.feed(ids.slice(18))).toEqual(expected);
  });
});
