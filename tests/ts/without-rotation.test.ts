/** Caches without parts of the rotation. The values themselves are held in C++, to a naive model and to other files. */
import { type CacheOptions, load, type RotationPart } from "ropewalk";
import { describe, expect, it } from "vitest";
import { decoderFiles } from "./decoder-folder.js";
import { idsOf } from "./every-way.js";
import { readGolden } from "./golden.js";

const ropewalk = await load();
const plain = readGolden<object>("decoders/llama/config.json");
const ids = [1, 8, 9, 8, 30, 41, 8, 9];

/** The golden Llama, whose four pairs have the given factors: with 1e300 no angle is left. */
function withFactors(factors: readonly number[]) {
  const scaling = { rope_type: "longrope", short_factor: factors, long_factor: factors, attention_factor: 1.25 };
  return ropewalk.decoder(
    decoderFiles({
      "config.json": { ...plain, rope_scaling: { ...scaling, original_max_position_embeddings: 64 } },
    }),
  );
}

describe("withoutRotation", async () => {
  const model = await withFactors([1, 1, 1, 1]);
  const logitsOf = (of: typeof model, options?: CacheOptions) => {
    using cache = of.cache(options);
    return cache.feed(ids, { all: true });
  };

  it("has the bits of a model whose frequencies are 0", async () => {
    using less = await withFactors([1, 1e300, 1, 1e300]);
    expect(logitsOf(model, { withoutRotation: [{ pair: 1 }, { pair: 3 }] })).toEqual(logitsOf(less));
    expect(logitsOf(model)).not.toEqual(logitsOf(less));
    expect(logitsOf(model, { withoutRotation: [] })).toEqual(logitsOf(model));
  });

  it("is for the layers, key heads and pairs that are named", () => {
    using rotated = model.cache();
    rotated.feed(ids);
    using part = model.cache({ withoutRotation: [{ layer: 0, keyHead: 1, pair: 2 }] });
    part.feed(ids);
    const [keys, less] = [rotated.keys(0), part.keys(0)];
    // 8 tokens, 2 key heads of 8 channels; pair 2 is channels 2 and 6. Nothing rotates at position 0.
    const changed = [...keys].flatMap((value, i) => (value === less[i] ? [] : [i]));
    const meant = Array.from({ length: ids.length - 1 }, (_, t) => [16 * (t + 1) + 8 + 2, 16 * (t + 1) + 8 + 6]);
    expect(changed).toEqual(meant.flat());
    // The same token has the same channels there, wherever it stands.
    expect(less[16 * 3 + 10]).toBe(less[16 + 10]);
  });

  it("holds for all that is done with the cache", async () => {
    const withoutRotation = [{ layer: 1 }, { keyHead: 0, pair: 0 }];
    using cache = model.cache({ withoutRotation });
    const found = await idsOf(model.generate(ids, { cache, maxTokens: 6, guesses: false }));
    using step = model.cache({ withoutRotation });
    let logits = step.feed(ids);
    const expected = found.map(() => {
      const best = logits.indexOf(Math.max(...logits));
      logits = step.feed([best]);
      return best;
    });
    expect(found).toEqual(expected);
    using chunk = model.chunk(ids, { withoutRotation });
    using again = model.cache({ withoutRotation });
    again.append(chunk);
    using copy = again.fork();
    expect(copy.feed([5])).toEqual(again.feed([5]));
    expect(copy.explain()).toMatch(/\d+ pairs of the key heads of all layers are without rotation/);
  });

  it("refuses what the model does not have, by name", () => {
    const cases: [parts: unknown, words: string][] = [
      [[{ layer: 3 }], "cache: `withoutRotation[0].layer` is 3; allowed: 0 to 2"],
      [[{}, { keyHead: 2 }], "cache: `withoutRotation[1].keyHead` is 2; allowed: 0 to 1"],
      [[{ pair: 4 }], "cache: `withoutRotation[0].pair` is 4; allowed: 0 to 3"],
      [[{ pair: -1 }], "cache: `withoutRotation[0].pair` is -1; allowed: a whole number from 0 to 2147483647"],
      [[{ pair: "1" }], 'cache: `withoutRotation[0].pair` is "1"'],
      [[{ head: 1 }], "cache: unknown option `head`; "],
      [[7], "cache: `withoutRotation[0]` is 7; allowed: an object"],
      [{ layer: 1 }, "cache: `withoutRotation` is an object"],
    ];
    for (const [withoutRotation, words] of cases)
      expect(() => model.cache({ withoutRotation: withoutRotation as RotationPart[] })).toThrow(words);
    expect(() => model.chunk(ids, { withoutRotation: [{ layer: 9 }] })).toThrow(
      "chunk: `withoutRotation[0].layer` is 9; allowed: 0 to 2",
    );
  });

  it("does not mix with other caches", () => {
    using cache = model.cache({ withoutRotation: [{ layer: 1 }] });
    cache.feed(ids);
    const keys = cache.keys(2);
    using chunk = model.chunk(ids);
    expect(() => cache.append(chunk)).toThrow("allowed: one with the `withoutRotation` of the cache");
    expect(() => cache.save()).toThrow("save: `cache` is without a part of the rotation");
    expect([cache.length, cache.keys(2)]).toEqual([ids.length, keys]);
  });
});
