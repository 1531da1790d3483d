import { LOOPS } from "./javascript-loops.mjs";
import type { JavascriptLoop } from "./speed-calls.js";

/** The same rotation in JavaScript and in plain C, for comparison. x is [tokens, heads, dim], tables [tokens, dim / 2]. */
export type Pairing = "half" | "interleaved";

export interface Tables {
  readonly cos: Float32Array;
  readonly sin: Float32Array;
}

/** Numbers in memory of its own, and how to turn them once more in place. */
export interface Loop {
  readonly x: () => Float32Array;
  run(): void;
}

export function javascriptLoop(
  name: JavascriptLoop,
  pairing: Pairing,
  x: Float32Array,
  { cos, sin }: Tables,
  heads: number,
  dim: number,
): Loop {
  const rotate = LOOPS[name][pairing];
  const tokens = (cos.length * 2) / dim;
  return { x: () => x, run: () => rotate(x, cos, sin, 1, tokens, heads, dim) };
}

type PlainArguments = [
  x: number,
  cos: number,
  sin: number,
  batch: number,
  sequence: number,
  heads: number,
  dim: number,
];

interface PlainExports {
  readonly memory: WebAssembly.Memory;
  readonly __heap_base: WebAssembly.Global<"i32">;
  plain_half(...args: PlainArguments): void;
  plain_interleaved(...args: PlainArguments): void;
  limit_scale(x: number, count: number, by: number): void;
}

/** tools/plain/loops.cpp, rotating; and tools/plain/scale.cpp on the same numbers, by -1, which keeps their size. */
export async function plainLoops(
  module: WebAssembly.Module,
  pairing: Pairing,
  x: Float32Array,
  tables: Tables,
  heads: number,
  dim: number,
): Promise<{ rotate: Loop; scale: Loop }> {
  const { exports } = await WebAssembly.instantiate(module);
  const { memory, __heap_base, ...loops } = exports as unknown as PlainExports;
  let end = Math.ceil(__heap_base.value / 64) * 64;
  const place = (values: Float32Array) => {
    const address = end;
    end += Math.ceil(values.byteLength / 64) * 64;
    const missing = end - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / 65536));
    new Float32Array(memory.buffer, address, values.length).set(values);
    return address;
  };
  const [at, cos, sin] = [place(x), place(tables.cos), place(tables.sin)];
  const tokens = (tables.cos.length * 2) / dim;
  const rotate = pairing === "half" ? loops.plain_half : loops.plain_interleaved;
  const now = () => new Float32Array(memory.buffer, at, x.length);
  return {
    rotate: { x: now, run: () => rotate(at, cos, sin, 1, tokens, heads, dim) },
    scale: { x: now, run: () => loops.limit_scale(at, x.length, -1) },
  };
}
