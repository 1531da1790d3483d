/**
 * Hostile calls of ropewalk-native, whose functions only this package calls. A row is a call and the error that it gives, or
 * its answer. Addresses are the one thing that it has to believe; tests/ts/hostile.test.ts runs over it as well.
 */
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { isNative } from "./backend.js";
import { fromRoot } from "./files.js";

type Value = number | object | null;
type Callable = (...values: unknown[]) => Value;
/** The module that the addon opens: functions, the memory, and the address at which that begins. */
interface Module {
  [name: string]: unknown;
  wasmMemory: { buffer: unknown };
  memoryAddress: number;
  copy: Callable;
  _ropewalk_allocate: Callable;
  _ropewalk_free: Callable;
  makeRope: Callable;
  makeTask: Callable;
}
interface Held {
  constructor: Callable & (new () => Held);
  delete: Callable;
  address: Callable;
  frequencyCount: Callable;
}

describe.runIf(isNative)("ropewalk-native", () => {
  const program = fromRoot("build/native-program/program.js");
  const addon = isNative
    ? (createRequire(program)("ropewalk-native") as { open(): Module })
    : { open: () => ({}) as Module };
  const module = addon.open();

  function text(json: string): [address: number, size: number] {
    const bytes = new TextEncoder().encode(json);
    const address = module._ropewalk_allocate(bytes.length) as number;
    new Uint8Array(module.wasmMemory.buffer as ArrayBuffer).set(bytes, address - module.memoryAddress);
    return [address, bytes.length];
  }
  const rope = (): Held => module.makeRope(...text('{"head_dim": 8}')) as Held;
  const [noNumber, noAddress, noObject] = [
    "ropewalk-native: an argument is no number",
    "ropewalk-native: copy takes an address and a number of bytes",
    "ropewalk-native: this is no living Rope",
  ];
  const deleted = () => {
    const held = rope();
    held.delete();
    return held;
  };

  it.each<[what: string, call: () => unknown, expected: string | number | undefined]>([
    ["no bytes of memory", () => Number(module._ropewalk_allocate(0)) > 0 && 1, 1],
    ["NaN bytes", () => module._ropewalk_allocate(Number.NaN), 0],
    ["-1 bytes", () => module._ropewalk_allocate(-1), 0],
    ["1e300 bytes", () => module._ropewalk_allocate(1e300), 0],
    ["freeing null", () => module._ropewalk_free(0), undefined],
    ["freeing what is no memory of it", () => module._ropewalk_free(module.memoryAddress + 1), undefined],
    ["freeing at an address of NaN", () => module._ropewalk_free(Number.NaN), undefined],
    ["freeing at -1", () => module._ropewalk_free(-1), undefined],
    ["copying nothing", () => (module.copy(module.memoryAddress, 0) as ArrayBuffer).byteLength, 0],
    ["copying NaN bytes", () => module.copy(module.memoryAddress, Number.NaN), noAddress],
    ["copying -1 bytes", () => module.copy(module.memoryAddress, -1), noAddress],
    ["copying 1e300 bytes", () => module.copy(module.memoryAddress, 1e300), noAddress],
    [
      "copying more than there is memory",
      () => module.copy(module.memoryAddress, 2 ** 52),
      "ropewalk-native: no memory",
    ],
    ["copying from NaN", () => module.copy(Number.NaN, 4), noAddress],
    ["copying from null", () => module.copy(0, 4), noAddress],
    ["copying from a text", () => module.copy("x", 4), noAddress],
    ["copying without arguments", () => module.copy(), noAddress],
    ["a rope of no text", () => module.makeRope(), noNumber],
    ["a rope of a text that is no JSON", () => module.makeRope(...text("{")), undefined],
    ["a task of an array", () => module.makeTask([], {}), noNumber],
    ["a method of a deleted rope", () => deleted().frequencyCount(), noObject],
    ["the address of a deleted rope", () => deleted().address(), noObject],
    ["deleting twice", () => deleted().delete(), undefined],
    ["a method of a rope that is made by hand", () => new (rope().constructor)().frequencyCount(), noObject],
    ["a method without an object", () => rope().frequencyCount.call(undefined), "Illegal invocation"],
    ["a method of a number", () => rope().frequencyCount.call(5), "Illegal invocation"],
    ["a method of a Proxy", () => rope().frequencyCount.call(new Proxy(rope(), {})), "Illegal invocation"],
    [
      "a method of a task",
      () => rope().frequencyCount.call(module.makeTask(...text('{"name": "copy"}'))),
      "Illegal invocation",
    ],
  ])("%s", (_, call, expected) => {
    if (typeof expected === "string") expect(call).toThrow(expected);
    else expect(call() ?? undefined).toBe(expected);
    expect(rope().frequencyCount()).toBe(4);
  });

  it("takes a number, a truth value or an object in each place, and nothing else", () => {
    const names = Object.getOwnPropertyNames(module).filter((name) => typeof module[name] === "function");
    let refused = 0;
    for (const name of names) {
      for (const value of [undefined, null, "1", 1n, Symbol("s"), {}, [], () => 1]) {
        // The first place: what stands behind it is not looked at.
        try {
          (module[name] as Callable)(value);
        } catch (error) {
          refused++;
          expect((error as Error).message).toMatch(
            /^ropewalk-native: (an argument is no number|copy takes|this is no living \w+)/,
          );
        }
      }
    }
    expect(refused).toBeGreaterThan(250);
  });

  it("has its memory again when it grows, whatever was put in its place", () => {
    const { wasmMemory } = module;
    const held = rope();
    structuredClone(wasmMemory.buffer, { transfer: [wasmMemory.buffer as ArrayBuffer] });
    expect(held.frequencyCount()).toBe(4);
    wasmMemory.buffer = 5;
    expect(Number(module._ropewalk_allocate(64 << 20))).toBeGreaterThan(0);
    expect((wasmMemory.buffer as ArrayBuffer).byteLength).toBeGreaterThan(64 << 20);
    expect(held.frequencyCount()).toBe(4);
  });
});
