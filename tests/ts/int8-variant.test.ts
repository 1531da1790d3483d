/** The choice between products of 8-bit integers. That both have the same bits, tests/package/int8-pages.test.ts shows in Chromium. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { load } from "ropewalk";
import { expect, it } from "vitest";
import type { Glue } from "../../bindings/ts/module/glue.js";
import { useInt8 } from "../../bindings/ts/module/int8.js";
import type { NativeModel } from "../../bindings/ts/module/native.js";
import { fromRoot } from "./files.js";
import { filesOf, vocabulary } from "./model-folder.js";

const built = (name: string) => fromRoot("build/package", name);
const relaxed = readFileSync(fromRoot("dist/relaxed.wasm"));
const hasRelaxed = WebAssembly.validate(relaxed);

async function modelModule(): Promise<NativeModel> {
  const module = await WebAssembly.compile(readFileSync(built("model.wasm")));
  const { default: create } = (await import(/* @vite-ignore */ built("model-glue.mjs"))) as { default: Glue };
  return (await create({
    instantiateWasm(imports, done) {
      done(new WebAssembly.Instance(module, imports));
      return {};
    },
  })) as NativeModel;
}

/** A module with the exports of relaxed.wasm, whose functions do nothing: the fastest there are, and wrong. */
function idle(): WebAssembly.Module {
  const names = [..."01234567"].flatMap((name, i) => [1, name.charCodeAt(0), 0, i]);
  const stack = [15, ...new TextEncoder().encode("__stack_pointer"), 3, 0];
  const section = (id: number, ...bytes: number[]) => [id, bytes.length, ...bytes];
  return new WebAssembly.Module(
    Uint8Array.from([
      ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...section(1, 1, 0x60, 1, 0x7f, 0),
      ...section(3, 8, ...new Array<number>(8).fill(0)),
      ...section(6, 1, 0x7f, 1, 0x41, 0, 0x0b),
      ...section(7, 9, ...names, ...stack),
      ...section(10, 8, ...new Array<number[]>(8).fill([2, 0, 0x0b]).flat()),
    ]),
  );
}

it("does not take what is wrong, however fast it is", async () => {
  const native = await modelModule();
  expect(await useInt8(native, { requested: "auto", module: idle() })).toBe("simd");
  await expect(useInt8(native, { requested: "relaxed", module: idle() })).rejects.toThrow(
    'load: `variant` is "relaxed"; allowed: "auto" or "simd": the relaxed SIMD of this engine computes wrong sums',
  );
});

it("needs no module that was not asked for", async () => {
  expect(await useInt8(await modelModule(), { requested: "simd" })).toBe("simd");
  expect(await useInt8(await modelModule(), { requested: "auto" })).toBe("simd");
});

it("relaxed.wasm has no memory, no data and no table of its own to fill", () => {
  const sections: number[] = [];
  for (let at = 8; at < relaxed.length; ) {
    sections.push(relaxed[at++]!);
    let size = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = relaxed[at++]!;
      size |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    at += size;
  }
  const [element, data, memory] = [9, 11, 5];
  for (const each of [element, data, memory]) expect(sections).not.toContain(each);
});

const files = () => filesOf("bert-labse", { "vocab.txt": vocabulary() });

it.runIf(hasRelaxed).each([{}, { variant: "relaxed" }] as const)(
  "%j says which ran, once a model has",
  async (given) => {
    const ropewalk = await load(given);
    expect(ropewalk.variant).toBe("simd");
    (await ropewalk.encoder(files(), { precision: "int8" })).dispose();
    expect(ropewalk.variant).toBe("relaxed");
  },
);

it.skipIf(hasRelaxed)("refuses what the engine has not", async () => {
  await expect(load({ variant: "relaxed" })).rejects.toThrow(
    'load: `variant` is "relaxed"; allowed: "auto" or "simd": there is no relaxed SIMD here',
  );
});

/** Node 20 has relaxed SIMD behind a flag, and computes wrong sums before it optimises. */
const isTwentieth = process.versions.node.startsWith("20.");

it.runIf(isTwentieth)("finds out that an engine is wrong", () => {
  const script = `
    import { load } from "ropewalk";
    const files = ${JSON.stringify([...files()].map(([name, bytes]) => [name, Buffer.from(bytes as Uint8Array).toString("base64")]))};
    const model = new Map(files.map(([name, bytes]) => [name, Buffer.from(bytes, "base64")]));
    const ropewalk = await load();
    await ropewalk.encoder(model, { precision: "int8" });
    const forced = await load({ variant: "relaxed" });
    const message = await forced.encoder(model, { precision: "int8" }).catch((error) => error.message);
    console.log(ropewalk.variant + " " + message);`;
  const args = ["--experimental-wasm-relaxed-simd", "--input-type=module", "--eval", script];
  expect(execFileSync(process.execPath, args, { cwd: fromRoot(), encoding: "utf8" })).toMatch(
    /^simd .*computes wrong sums/,
  );
});
