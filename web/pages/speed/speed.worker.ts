/// <reference lib="webworker" />

import relaxedUrl from "plain-c/relaxed.wasm?url";
import scalarUrl from "plain-c/scalar.wasm?url";
import simdUrl from "plain-c/simd.wasm?url";
import { load, type Ropewalk } from "ropewalk";
import { type CallContext, type Reply, serve } from "../../worker/rpc.js";
import { javascriptLoop, type Loop, type Pairing, plainLoops, type Tables } from "./loops.js";
import {
  type Contestant,
  contestants,
  javascriptLoops,
  type Prepared,
  type Round,
  type ShapeName,
  type SpeedCalls,
  shapes,
} from "./speed-calls.js";

/** One sample lasts about so long, many steps of the coarsest clock. */
const SAMPLE_MILLISECONDS = 8;
/** So long every loop runs before it is timed: engines compile what runs often, and the first calls are many times slower. */
const WARM_MILLISECONDS = 300;
/** Position of the first token: at 0 nothing would rotate. */
const FIRST = 1000;

/** In the order of the table. */
let loops: Partial<Record<Contestant, Loop>> = {};
let calls: Partial<Record<Contestant, number>> = {};
let release = () => {};

const compiled = new Map<string, Promise<WebAssembly.Module | undefined>>();
function plainModule(url: string): Promise<WebAssembly.Module | undefined> {
  const known = compiled.get(url);
  if (known) return known;
  const compile = async () => {
    const bytes = await (await fetch(url)).arrayBuffer();
    return WebAssembly.validate(bytes) ? WebAssembly.compile(bytes) : undefined;
  };
  const module = compile();
  compiled.set(url, module);
  return module;
}

let starting: Promise<{ ropewalk: Ropewalk; milliseconds: number }> | undefined;
async function start(): Promise<{ ropewalk: Ropewalk; milliseconds: number }> {
  const begun = performance.now();
  const ropewalk = await load();
  const rope = ropewalk.rope({ headDim: 64 });
  rope.rotate(new Float32Array(64), { sequence: 1, heads: 1 });
  rope.dispose();
  return { ropewalk, milliseconds: performance.now() - begun };
}

/** Largest distance between rotated pairs and float64, as a share of the pair's length, over some of the tokens. */
function errorOf(
  pairing: Pairing,
  before: Float32Array,
  after: Float32Array,
  theta: Float64Array,
  heads: number,
): number {
  const pairs = theta.length;
  const tokens = before.length / (heads * 2 * pairs);
  let largest = 0;
  for (let s = 0; s < tokens; s += Math.max(1, Math.floor(tokens / 7))) {
    for (let j = 0; j < pairs; j++) {
      const [first, second] = pairing === "half" ? [j, j + pairs] : [2 * j, 2 * j + 1];
      const at = s * heads * 2 * pairs;
      const [a, b] = [before[at + first]!, before[at + second]!];
      const [c, n] = [Math.cos((FIRST + s) * theta[j]!), Math.sin((FIRST + s) * theta[j]!)];
      const off = Math.hypot(after[at + first]! - (a * c - b * n), after[at + second]! - (a * n + b * c));
      largest = Math.max(largest, off / Math.hypot(a, b));
    }
  }
  return largest;
}

function clockMicroseconds(): number {
  let smallest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 20; i++) {
    const before = performance.now();
    let after = before;
    while (after === before) after = performance.now();
    smallest = Math.min(smallest, after - before);
  }
  return smallest * 1000;
}

async function prepare(
  args: { shape: ShapeName; pairing: Pairing },
  { progress, signal }: CallContext,
): Promise<Reply<Prepared>> {
  release();
  const { pairing } = args;
  const { batch, sequence, heads, headDim } = shapes[args.shape];
  starting ??= start();
  const [{ ropewalk, milliseconds }, scalar, simd, relaxed] = await Promise.all([
    starting,
    ...[scalarUrl, simdUrl, relaxedUrl].map(plainModule),
  ]);
  const rope = ropewalk.rope({ headDim, pairing });
  const count = batch * sequence * heads * headDim;
  // A row of a sequence; every sequence of the batch starts at the same position.
  const random = Float32Array.from({ length: count }, (_, i) => Math.sin(i * 12.9898) * 2);
  const row = rope.table(Float64Array.from({ length: sequence }, (_, s) => FIRST + s));
  const repeated = (values: Float32Array) => {
    const all = new Float32Array(values.length * batch);
    for (let b = 0; b < batch; b++) all.set(values, b * values.length);
    return all;
  };
  const tables: Tables = { cos: repeated(row.cos), sin: repeated(row.sin) };
  const tensor = ropewalk.tensor([batch, sequence, heads, headDim], random);
  const placement = { batch, sequence, heads, positions: FIRST, out: tensor };
  const plain = async (module: WebAssembly.Module | undefined) =>
    module && (await plainLoops(module, pairing, random, tables, heads, headDim));
  const [inScalar, inSimd, inRelaxed] = [await plain(scalar), await plain(simd), await plain(relaxed)];
  loops = {
    ...Object.fromEntries(
      javascriptLoops.map((name) => [name, javascriptLoop(name, pairing, random.slice(), tables, heads, headDim)]),
    ),
    ...(inScalar && { scalar: inScalar.rotate }),
    ...(inSimd && { simd: inSimd.rotate, limit: inSimd.scale }),
    ...(inRelaxed && { relaxed: inRelaxed.rotate }),
    ropewalk: { x: () => tensor.data, run: () => void rope.rotate(tensor, placement) },
  };
  calls = {};
  release = () => {
    loops = {};
    tensor.dispose();
    rope.dispose();
    release = () => {};
  };
  const error = (name: Contestant) => {
    const loop = loops[name];
    if (!loop) return undefined;
    loop.run();
    return errorOf(
      pairing,
      random.subarray(0, count / batch),
      loop.x().subarray(0, count / batch),
      rope.frequencies,
      heads,
    );
  };
  const rotating = contestants.filter((name) => name !== "limit");
  const errors = Object.fromEntries(rotating.map((name) => [name, error(name)])) as Prepared["errors"];
  const entries = Object.entries(loops) as [Contestant, Loop][];
  for (const [index, [name, loop]] of entries.entries()) {
    progress(index, entries.length);
    warm(loop);
    calls[name] = callsPerSample(loop);
    // A turn of the event loop, so that a cancel is heard.
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
  }
  return {
    result: {
      errors,
      version: ropewalk.version,
      variant: ropewalk.variant,
      heapBytes: ropewalk.stats().heapBytes,
      startMilliseconds: milliseconds,
      clockMicroseconds: clockMicroseconds(),
    },
  };
}

function timed(loop: Loop, times: number): number {
  const begun = performance.now();
  for (let i = 0; i < times; i++) loop.run();
  return performance.now() - begun;
}

function warm(loop: Loop): void {
  const end = performance.now() + WARM_MILLISECONDS;
  while (performance.now() < end) loop.run();
}

/** The quicker of two, since a pause looks like slow work. */
function callsPerSample(loop: Loop): number {
  let times = 1;
  while (Math.min(timed(loop, times), timed(loop, times)) < SAMPLE_MILLISECONDS && times < 1 << 20) times *= 2;
  return times;
}

async function round(): Promise<Reply<Round>> {
  const entries = (Object.entries(loops) as [Contestant, Loop][]).map(([name, loop]) => {
    const times = calls[name]!;
    return [name, (timed(loop, times) / times) * 1000];
  });
  return { result: Object.fromEntries(entries) as Round };
}

serve<SpeedCalls>(self as unknown as DedicatedWorkerGlobalScope, { prepare, round });
