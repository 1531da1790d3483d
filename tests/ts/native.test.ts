/** Native code in the place of WebAssembly, where ropewalk-native is installed; without it, what says so. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { load } from "ropewalk";
import { expect, it } from "vitest";
import { isNative } from "./backend.js";
import { readJson } from "./files.js";
import { filesOf, vocabulary } from "./model-folder.js";

const { version } = readJson<{ version: string }>("package.json");

it("computes by what is installed, and by WebAssembly where that is asked for", async () => {
  expect((await load()).backend).toBe(isNative ? "native" : "wasm");
  expect((await load({ native: false })).backend).toBe("wasm");
  expect((await load({ variant: "simd" })).backend).toBe("wasm");
  await expect(load({ native: 1 as unknown as boolean })).rejects.toThrow("load: `native` is 1");
});

it.skipIf(isNative)("says what is missing where native code is demanded", async () => {
  await expect(load({ native: true })).rejects.toThrow("ropewalk-native");
});

it.runIf(isNative)("gives in 8 bits the vectors of WebAssembly, to the bit", async () => {
  const files = filesOf("bert-labse", { "vocab.txt": vocabulary() });
  const texts = ["the rope", "a longer text about the rope", ""];
  const vectors: Float32Array[][] = [];
  for (const options of [{ native: true }, { native: false }]) {
    using model = await (await load(options)).encoder(files, { precision: "int8" });
    vectors.push(await model.embed(texts.slice(0, 2)));
  }
  expect(vectors[0]).toEqual(vectors[1]);
});

it.runIf(isNative)("rotates as WebAssembly does within rounding, and gives memory back", async () => {
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

it.runIf(isNative)("refuses in the same words", async () => {
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

const addons: [what: string, code: string, message: string][] = [
  ["cannot be read", "nonsense(", "ropewalk-native is installed and cannot be loaded: "],
  ["throws", 'throw new Error("no build for this")', "cannot be loaded: no build for this; load({ native: false })"],
  ["throws what is no error", "throw 5", "cannot be loaded: 5; load({ native: false })"],
  ["gives nothing", "module.exports = null", "is not the package of that name; load({ native: false })"],
  ["gives something else", "module.exports = { version: VERSION }", "is not the package of that name"],
  [
    "is of another version",
    'module.exports = { version: "0.0.1", open() {} }',
    `is of version 0.0.1 and ropewalk of version ${version}; install ropewalk-native@${version}, or load({ native: false })`,
  ],
  [
    "does not begin",
    'module.exports = { version: VERSION, open() { throw new Error("no memory"); } }',
    "could not begin: no memory; load({ native: false })",
  ],
];

it.each(addons)("says so where a ropewalk-native %s, and computes without it", (_, code, message) => {
  const root = mkdtempSync(join(tmpdir(), "ropewalk-native-"));
  try {
    const modules = join(root, "node_modules");
    cpSync(dirname(fileURLToPath(import.meta.resolve("ropewalk"))), join(modules, "ropewalk", "dist"), {
      recursive: true,
    });
    mkdirSync(join(modules, "ropewalk-native"));
    writeFileSync(join(modules, "ropewalk", "package.json"), '{"type": "module"}');
    const addon = `const VERSION = ${JSON.stringify(version)};\n${code};\n`;
    writeFileSync(join(modules, "ropewalk-native", "index.js"), addon);
    const program = join(root, "program.mjs");
    writeFileSync(
      program,
      `import { load } from "./node_modules/ropewalk/dist/node.js";
      const told = [];
      for (const native of [undefined, true])
        await load({ native }).catch(({ code, function: fn, argument, message }) => told.push([code, fn, argument, message]));
      told.push((await load({ native: false })).backend);
      console.log(JSON.stringify(told));`,
    );
    const [first, second, backend] = JSON.parse(String(execFileSync(process.execPath, [program]))) as string[][];
    expect(first).toEqual(["unsupported", "load", "native", expect.stringContaining(message)]);
    expect(second).toEqual(first);
    expect(first![3]).toMatch(/^load: ropewalk-native /);
    expect(backend).toBe("wasm");
  } finally {
    rmSync(root, { recursive: true });
  }
});
