import { readFileSync } from "node:fs";
import { load } from "ropewalk";
import { load as loadExternal } from "ropewalk/external";
import { expect, it } from "vitest";
import { readJson } from "./files.js";

const file = new URL("../../dist/core.wasm", import.meta.url);
const { version } = readJson<{ version: string }>("package.json");

it("is idempotent per options", async () => {
  const first = await load();
  expect(await load()).toBe(first);
  expect(await load({ variant: "auto" })).toBe(first);
  expect(first.version).toBe(version);
  expect(first.backend).toBe("wasm");
  expect(first.variant).toBe("simd");
  const other = await load({ wasm: file });
  expect(other).not.toBe(first);
  expect(await load({ wasm: new URL(file) })).toBe(other);
  other.tensor([1]);
  expect(other.stats().handles).toBe(1);
  expect(first.stats().handles).toBe(0);
});

it.each([
  ["bytes", () => readFileSync(file)],
  ["a compiled module", () => new WebAssembly.Module(readFileSync(file))],
  ["a Response", () => new Response(readFileSync(file), { headers: { "content-type": "application/wasm" } })],
  ["a Response of another type", () => new Response(readFileSync(file))],
  ["a promise of a Response", () => Promise.resolve(new Response(readFileSync(file)))],
  ["a URL as a text", () => file.href],
] as const)("takes the module from %s", async (_, wasm) => {
  const ropewalk = await load({ wasm: wasm() });
  using rope = ropewalk.rope({ headDim: 2 });
  expect(rope.rotate(Float32Array.of(1, 0), { sequence: 1, heads: 1 })).toEqual(Float32Array.of(1, 0));
});

it("the external entry finds core.wasm beside itself", async () => {
  const ropewalk = await loadExternal();
  expect(await loadExternal()).toBe(ropewalk);
  expect(ropewalk.version).toBe(version);
});

it("what failed once is tried again", async () => {
  const wasm = new URL("./missing.wasm", import.meta.url);
  await expect(load({ wasm })).rejects.toThrow("missing.wasm");
  await expect(load({ wasm })).rejects.toThrow("missing.wasm");
});

it("refuses an option that it does not have", async () => {
  await expect(load({ thread: 2 } as never)).rejects.toThrow("load: unknown option `thread`; did you mean `threads`?");
  await expect(load({ backend: 2 } as never)).rejects.toThrow(
    "load: unknown option `backend`; allowed: variant, threads, ",
  );
  await expect(load({ wasm: undefined })).resolves.toBe(await load());
});
