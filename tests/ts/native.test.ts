/** Native code in the place of WebAssembly, where ropewalk-native is installed; without it, what says so. */
import { load } from "ropewalk";
import { expect, it } from "vitest";
import { filesOf, vocabulary } from "./model-folder.js";

const native = process.env.ROPEWALK_BACKEND === "native";

it("computes by what is installed, and by WebAssembly where that is asked for", async () => {
  expect((await load()).backend).toBe(native ? "native" : "wasm");
  expect((await load({ native: false })).backend).toBe("wasm");
  expect((await load({ variant: "simd" })).backend).toBe("wasm");
  await expect(load({ native: 1 as unknown as boolean })).rejects.toThrow("load: `native` is 1");
});

it.runIf(!native)("says what is missing where native code is demanded", async () => {
  await expect(load({ native: true })).rejects.toThrow("ropewalk-native");
});

it.runIf(native)("gives in 8 bits the vectors of WebAssembly, to the bit", async () => {
  const files = filesOf("bert-labse", { "vocab.txt": vocabulary() });
  const texts = ["the rope", "a longer text about the rope", ""];
  const vectors: Float32Array[][] = [];
  for (const options of [{ native: true }, { native: false }]) {
    using model = await (await load(options)).encoder(files, { precision: "int8" });
    vectors.push(await model.embed(texts.slice(0, 2)));
  }
  expect(vectors[0]).toEqual(vectors[1]);
});

it.runIf(native)("rotates as WebAssembly does within rounding, and gives memory back", async () => {
  const [there, here] = [await load({ native: true }), await load({ native: false })];
  const x = Float32Array.from({ length: 2 * 3 * 64 }, (_, i) => Math.sin(i));
  const results = [there, here].map((ropewalk) => {
    const before = ropewalk.stats().handles;
    const rope = ropewalk.rope({ headDim: 64 });
    const y = rope.rotate(x, { sequence: 2, heads: 3, positions: [5, 1000] });
    rope.dispose();
    expect(ropewalk.stats().handles).toBe(before);
    return y;
  });
  for (const [i, value] of results[0]!.entries()) expect(Math.abs(value - results[1]![i]!)).toBeLessThan(3e-7);
});

it.runIf(native)("refuses in the same words", async () => {
  const said = await Promise.all(
    [true, false].map(async (each) => {
      const ropewalk = await load({ native: each });
      try {
        ropewalk.rope({ headDim: 63 });
      } catch (error) {
        return (error as Error).message;
      }
      return "nothing";
    }),
  );
  expect(said[0]).toBe(said[1]);
  expect(said[0]).toContain("`headDim` is 63");
});
