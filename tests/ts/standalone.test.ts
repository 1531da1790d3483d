/** ropewalk.h as a WebAssembly module without glue, by the plain WebAssembly API and nothing else. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { type Adapter, type Case, run, type Subject } from "../../conformance/javascript/run.mjs";
import { fromRoot, readJson, readText } from "./files.js";

const path = fromRoot("build/wasm/bindings/c/ropewalk.wasm");
const module = new WebAssembly.Module(readFileSync(path));

interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  [name: `ropewalk_${string}`]: (...args: number[]) => number;
}

/** wasm32's layout of ropewalk_placement: size_t, pointers and ptrdiff_t take 4 bytes, doubles are aligned to 8. */
const PLACEMENT_BYTES = 80;

/** As much of a binding as the vectors need. */
class Library {
  readonly exports: Exports;

  constructor() {
    this.exports = new WebAssembly.Instance(module).exports as unknown as Exports;
    this.exports._initialize();
  }
  get view() {
    return new DataView(this.exports.memory.buffer);
  }
  alloc(size: number) {
    const address = this.exports.ropewalk_alloc!(size);
    new Uint8Array(this.exports.memory.buffer, address, size).fill(0);
    return address;
  }
  /** The address and size of a text. */
  text(text: string): [number, number] {
    const encoded = new TextEncoder().encode(text);
    const address = this.alloc(encoded.length);
    new Uint8Array(this.exports.memory.buffer).set(encoded, address);
    return [address, encoded.length];
  }
  textAt(address: number) {
    const memory = new Uint8Array(this.exports.memory.buffer);
    return new TextDecoder().decode(memory.subarray(address, memory.indexOf(0, address)));
  }
  error() {
    const address = this.alloc(24);
    this.exports.ropewalk_last_error!(address);
    const text = (i: number) => this.textAt(this.view.getUint32(address + 4 * i, true));
    return { code: this.view.getInt32(address, true), message: text(1), argument: text(3) };
  }
  /** The rope that a function makes, or its error. */
  make(create: (out: number) => number): number {
    const out = this.alloc(4);
    if (create(out) !== 0) throw new Error(this.error().message);
    return this.view.getUint32(out, true);
  }
  floats(address: number, count: number) {
    return Array.from(new Float32Array(this.exports.memory.buffer, address, count));
  }
  free(...addresses: number[]) {
    for (const address of addresses) this.exports.ropewalk_free!(address);
  }

  rope(options: object) {
    const [address, size] = this.text(JSON.stringify(options));
    const rope = this.make((out) => this.exports.ropewalk_rope_create!(address, size, out));
    this.free(address);
    return rope;
  }
  table(rope: number, position: number, pairs: number): number[][] {
    const at = this.alloc(8 + 8 * pairs);
    this.view.setFloat64(at, position, true);
    expect(this.exports.ropewalk_table!(rope, at, 1, at + 8, at + 8 + 4 * pairs, pairs)).toBe(0);
    const found = [this.floats(at + 8, pairs), this.floats(at + 8 + 4 * pairs, pairs)];
    this.free(at);
    return found;
  }
  rotate(rope: number, x: number[], position: number) {
    const placement = this.alloc(PLACEMENT_BYTES);
    for (const [i, member] of [PLACEMENT_BYTES, 1, 1, 1].entries())
      this.view.setUint32(placement + 4 * i, member, true);
    this.view.setFloat64(placement + 56, position, true);
    const at = this.alloc(8 * x.length);
    new Float32Array(this.exports.memory.buffer, at, x.length).set(x);
    const out = at + 4 * x.length;
    expect(this.exports.ropewalk_rotate!(rope, at, out, x.length, 0, placement)).toBe(0);
    const y = this.floats(out, x.length);
    this.free(at, placement);
    return y;
  }
  frequencies(rope: number) {
    const count = this.alloc(4);
    const address = this.exports.ropewalk_rope_frequencies!(rope, count);
    const found = Array.from(new Float64Array(this.exports.memory.buffer, address, this.view.getUint32(count, true)));
    this.free(count);
    return found;
  }
}

const library = new Library();

function subject(rope: number): Subject {
  const pairs = library.exports.ropewalk_rope_rotary_dim!(rope) / 2;
  return {
    theta: () => library.frequencies(rope),
    magnitude: () => library.exports.ropewalk_rope_magnitude!(rope),
    table: (position) => library.table(rope, Number(position), pairs),
    rotate: (x, position) => library.rotate(rope, x, Number(position)),
  };
}

it("imports nothing and exports the functions of the header", () => {
  expect(WebAssembly.Module.imports(module)).toEqual([]);
  const header = readText("cpp/include/ropewalk.h");
  const declared = [...header.matchAll(/^ROPEWALK_API [^;(]*?(ropewalk_\w+)\(/gm)].map(([, name]) => name!);
  expect(declared.length).toBeGreaterThan(20);
  const exported = WebAssembly.Module.exports(module).map(({ name }) => name);
  expect(exported.filter((name) => name.startsWith("ropewalk_")).sort()).toEqual(declared.sort());
});

it("runs the example of docs/c-and-python.md", () => {
  const guide = readText("docs/c-and-python.md");
  const [, example] = /```js\n([\s\S]*?)```/.exec(guide)!;
  const args = ["--input-type=module", "--eval", example!];
  const printed = execFileSync(process.execPath, args, { cwd: dirname(path), encoding: "utf8" });
  const cos = [...printed.matchAll(/-?\d\.\d+/g)].map(Number);
  expect(cos).toEqual([1, 0.1, 0.01, 0.001].map((theta) => Number(Math.fround(Math.cos(3 * theta)).toFixed(6))));
});

it("holds the vectors", async () => {
  const adapter: Adapter = {
    precision: "float32-output",
    make({ head_dim, rotary_dim, frequencies }, pairing) {
      return subject(library.rope({ head_dim, rotary_dim, pairing, frequencies }));
    },
    read(config: object, one: Case) {
      const [text, size] = library.text(JSON.stringify(config));
      const options = library.alloc(24);
      library.view.setUint32(options, 24, true);
      library.view.setFloat64(options + 8, one.sequence_length ?? 0, true);
      return subject(
        library.make((out) => library.exports.ropewalk_rope_create_from_config!(text, size, options, out)),
      );
    },
  };
  const load = async (name: string) => readJson<never>(`conformance/vectors/${name}`);
  const { worst, values, unsupported } = await run(adapter, load, () => {});
  expect(worst).toBeLessThanOrEqual(1);
  expect(values).toBeGreaterThan(150_000);
  expect(unsupported).toEqual([]);
});

it("says what it refuses, and explains", () => {
  expect(() => library.rope({ head_dim: 7 })).toThrow(/^rope: `head_dim` is 7; allowed: an even number/);
  expect(library.error()).toMatchObject({ code: 1, argument: "head_dim" });
  const rope = library.rope({ head_dim: 64 });
  const text = library.make((out) => library.exports.ropewalk_rope_explain!(rope, 1000, out));
  expect(library.textAt(text)).toContain("10000");
  library.free(text);
  expect(library.textAt(library.exports.ropewalk_architecture!())).toBe("wasm");
});

it("frees what it made: memory does not grow with ropes", () => {
  const cycle = () => {
    for (let i = 0; i < 500; i++) {
      const rope = library.rope({ head_dim: 64 });
      library.rotate(rope, new Array(64).fill(1), i);
      library.exports.ropewalk_rope_destroy!(rope);
    }
  };
  cycle();
  const before = library.exports.memory.buffer.byteLength;
  cycle();
  cycle();
  expect(library.exports.memory.buffer.byteLength).toBe(before);
});
