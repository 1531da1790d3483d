/** bindings/ts/module/native.ts says what the modules export; this asks the modules themselves. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Glue } from "../../bindings/ts/module/glue.js";

const source = readFileSync(new URL("../../bindings/ts/module/native.ts", import.meta.url), "utf8");

/** Members that an interface of module.ts declares. */
function declared(name: string): string[] {
  const body = source.match(new RegExp(`interface ${name}[^{]*\\{([\\s\\S]*?)\\n\\}`))![1]!;
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)[(:]/gm)].map((match) => match[1]!).sort();
}

const common = declared("NativeMemory");

it.each([
  ["core", "NativeCore", ["Rope"]],
  ["analysis", "PlainAnalysis", []],
  ["model", "NativeModel", ["Encoder", "EncoderLoader"]],
  ["decoder", "NativeDecoding", ["Chunk", "Decoder", "DecoderLoader", "KeyCache"]],
  ["train", "NativeTraining", ["Task", "Trainer"]],
])("declares the exports of %s.wasm", async (name, ours, classes) => {
  const module = await WebAssembly.compile(readFileSync(new URL(`../../build/package/${name}.wasm`, import.meta.url)));
  const glue = new URL(`../../build/package/${name}-glue.mjs`, import.meta.url).href;
  const { default: create } = (await import(/* @vite-ignore */ glue)) as { default: Glue };
  const native = (await create({
    instantiateWasm(imports, done) {
      done(new WebAssembly.Instance(module, imports));
      return {};
    },
  })) as Record<string, unknown>;
  const exported = Object.keys(native).filter((each) => each !== "instantiateWasm" && !classes.includes(each));
  const shared = ["model", "decoder"].includes(name) ? [...common, ...declared("NativeInt8")] : common;
  expect(exported.sort()).toEqual([...shared, ...declared(ours)].sort());
  for (const each of classes) {
    const { prototype } = native[each] as { prototype: object };
    const methods = Object.getOwnPropertyNames(prototype).filter((method) => method !== "constructor");
    const interfaces = [...(each.endsWith("Loader") ? ["Loader"] : []), ...(each === "EncoderLoader" ? [] : [each])];
    expect(methods.sort()).toEqual(interfaces.flatMap((own) => declared(`Native${own}`)).sort());
  }
});
