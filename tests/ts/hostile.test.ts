/**
 * Calls that once overflowed, aborted, hung or answered wrongly. Each gives an error that names the function and the
 * argument, or the right answer; and the next call works. tests/cpp/hostile_test.cpp has those that C++ can make.
 */
import { getEventListeners } from "node:events";
import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { type Encoder, type FileSource, load, type RopeOptions, type Tensor } from "ropewalk";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Channel } from "../../bindings/ts/parallel/calls.js";
import { WorkerPool } from "../../bindings/ts/parallel/worker-pool.js";
import { isNative } from "./backend.js";
import { fromRoot, readJson } from "./files.js";
import { expectSameMemory } from "./memory.js";

const ropewalk = await load({ analysis: true });
const rope = ropewalk.rope({ headDim: 8 });
const sizes = { sequence: 2, heads: 3 };
const wave = (count: number, scale = 1) => Float32Array.from({ length: count }, (_, i) => scale * Math.sin(i + 1));
const expected = rope.rotate(wave(48), sizes);

/** Runs after every test. */
function expectUnharmed(): void {
  expect(rope.rotate(wave(48), sizes)).toEqual(expected);
  ropewalk.rope({ headDim: 64 }).dispose();
}
afterEach(expectUnharmed);

/** A call that must fail, the class of its error, and words of its message. */
type Refusal = [what: string, call: () => unknown, kind: new () => Error, ...words: string[]];

const withLength = (length: number, rest: object = {}) =>
  Object.defineProperty({ ...rest }, "length", { value: length });
const own = (name: string, value: number) => Object.defineProperty(wave(48), name, { value });

describe("arguments that lie are refused:", () => {
  class Long extends Float32Array {
    override get length() {
      return 8192;
    }
  }
  const deep: { headDim: number; x?: object } = { headDim: 8 };
  let inner: { x?: object } = deep;
  for (let i = 0; i < 10_000; i++) inner = inner.x = {};
  const millions = new Uint8Array(12e6).fill(1);
  const longrope = { type: "longrope", longFactor: [1, 1, 1, 1], originalMaxPositions: 8, sequenceLength: 8 } as const;
  const make = (options: Partial<RopeOptions>) => () => ropewalk.rope({ headDim: 8, ...options });

  it.each<Refusal>([
    [
      "sections that wrap around",
      make({ axes: { sections: [2 ** 31, 2 ** 31, 4] } }),
      RangeError,
      "rope: `axes.sections`",
    ],
    [
      "a subclass's length",
      () => rope.rotate(new Long(48), { sequence: 1024, heads: 1 }),
      RangeError,
      "rotate: `x`",
      "48",
    ],
    [
      "a length without end",
      () => rope.rotate(wave(48), { ...sizes, positions: withLength(1e12) as never }),
      RangeError,
      "`positions` has the length 1000000000000",
    ],
    [
      "positions that are no numbers",
      () => rope.rotate(wave(48), { ...sizes, positions: ["1", null] as never }),
      TypeError,
      'rotate: `positions[0]` is "1"',
    ],
    ["a Proxy of an array", () => rope.rotate(new Proxy(wave(48), {}), sizes), TypeError, "rotate: `x`"],
    [
      "infinite frequencies",
      make({ frequencies: { type: "proportional", fraction: 0.5, factor: 1e-310 } }),
      RangeError,
      "rope: `frequencies`",
      "Infinity",
    ],
    [
      "frequencies beyond the table",
      make({ frequencies: { type: "custom", frequencies: [1e305, 1, 1, 1] } }),
      RangeError,
      "rope: `frequencies`",
      "1e+305",
    ],
    ["options 10,000 deep", () => ropewalk.rope(deep), RangeError, "rope: ", "nested deeper than 64 levels"],
    [
      "12 million frequencies",
      make({ frequencies: { type: "custom", frequencies: millions } }),
      RangeError,
      "rope: `frequencies.frequencies`",
      "12000000",
    ],
    [
      "10 million factors",
      make({ frequencies: { ...longrope, shortFactor: new Float32Array(1e7) } }),
      RangeError,
      "rope: `frequencies.shortFactor`",
      "10000000",
    ],
    ["20 million characters", make({ pairing: "x".repeat(2e7) as never }), RangeError, "rope: `pairing`", "20000000"],
  ])("%s", (_, call, kind, ...words) => {
    const before = ropewalk.stats();
    for (let i = 0; i < 3; i++) {
      expect(call).toThrow(kind);
      for (const word of words) expect(call).toThrow(word);
    }
    expectSameMemory(ropewalk.stats(), before);
  });

  it("a configuration of 30 million numbers", async () => {
    const config = { head_dim: 8, numbers: new Uint8Array(3e7) };
    const { ropeOptionsFromConfig } = await import("ropewalk");
    expect(() => ropeOptionsFromConfig(config)).toThrow(
      "ropeOptionsFromConfig: `numbers` is an array of 30000000 elements",
    );
    const weights = new Uint8Array(8);
    await expect(ropewalk.encoder({ "config.json": config, "model.safetensors": weights })).rejects.toThrow(
      "encoder: `numbers` is an array of 30000000",
    );
  });
});

describe("arguments that lie are read as the engine knows them:", () => {
  it.each(["byteLength", "length", "byteOffset", "buffer"])("own %s", (name) => {
    expect(rope.rotate(own(name, 4), sizes)).toEqual(expected);
    expect(rope.rotate(wave(48), { ...sizes, out: own(name, 4) })).toEqual(expected);
  });

  it("a length that changes", () => {
    let readings = 0;
    const positions = {
      get length() {
        return readings++ === 0 ? 2 : 4096;
      },
      0: 1,
      1: 2,
    };
    const [q, k, distances] = [wave(8), wave(8), [1, 2]];
    expect(rope.rotate(wave(48), { ...sizes, positions })).toEqual(
      rope.rotate(wave(48), { ...sizes, positions: [1, 2] }),
    );
    readings = 0;
    expect(rope.table(positions)).toEqual(rope.table([1, 2]));
    readings = 0;
    expect(rope.decay(positions)).toEqual(rope.decay(distances));
    readings = 0;
    expect(rope.score(q, k, positions)).toEqual(rope.score(q, k, distances));
  });
});

describe("code that runs while arguments are read", () => {
  it("may dispose of what the call is for", () => {
    const others: Tensor[] = [];
    const disposing = (object: { dispose(): void }) => ({
      length: 2,
      get 0() {
        object.dispose();
        for (let i = 0; i < 100; i++) others.push(ropewalk.tensor([48], new Float32Array(48).fill(7)));
        return 1;
      },
      1: 2,
    });
    const tensor = ropewalk.tensor([48], wave(48));
    expect(() => rope.rotate(tensor, { ...sizes, positions: disposing(tensor) })).toThrow(
      "rotate: this tensor has been disposed",
    );
    const out = ropewalk.tensor([48]);
    const x = ropewalk.tensor([48], wave(48));
    expect(() => rope.rotate(x, { ...sizes, out, positions: disposing(out) })).toThrow(
      "rotate: this tensor has been disposed",
    );
    const gone = ropewalk.rope({ headDim: 8 });
    expect(() => gone.rotate(x, { ...sizes, positions: disposing(gone) })).toThrow(
      "rotate: this rope has been disposed",
    );
    const target = ropewalk.rope({ headDim: 8 });
    const to = { rope: target, positions: disposing(target) };
    expect(() => rope.rerotate(x, { ...sizes, to })).toThrow("rerotate: this rope has been disposed");
    const used = ropewalk.rope({ headDim: 8 });
    expect(() => used.gradients(x, x, { ...sizes, positions: disposing(used) })).toThrow(
      "gradients: this rope has been disposed",
    );
    const tabled = ropewalk.rope({ headDim: 8 });
    expect(() => tabled.table(disposing(tabled))).toThrow("table: this rope has been disposed");
    expect(x.data).toEqual(wave(48));
    for (const other of others) expect(other.data.every((each) => each === 7)).toBe(true);
    for (const each of [x, ...others]) each.dispose();
  });

  it("may let the memory grow", () => {
    const made: Tensor[] = [];
    const growing = {
      length: 2,
      get 0() {
        made.push(ropewalk.tensor([3e6]));
        return 1;
      },
      1: 2,
    };
    const right = rope.rotate(wave(48), { ...sizes, positions: [1, 2] });
    expect(rope.rotate(wave(48), { ...sizes, positions: growing })).toEqual(right);
    const tensor = ropewalk.tensor([2], growing);
    expect(tensor.data).toEqual(Float32Array.of(1, 2));
    for (const each of [tensor, ...made]) each.dispose();
  });

  it("may be a view of the module's own memory, which copying it detaches", async () => {
    // A memory of its own, which is still small.
    const fresh = await load();
    const same = (a: Float32Array, b: Float32Array) =>
      Buffer.compare(new Uint8Array(a.buffer), new Uint8Array(b.buffer)) === 0;
    const x = wave(3 * 2 ** 20);
    const tensor = fresh.tensor([x.length], x);
    const own = fresh.rope({ headDim: 8 });
    const long = { sequence: x.length / 8, heads: 1 };
    const view = tensor.data;
    const y = own.rotate(view, long);
    // It has grown, or this would test nothing.
    expect(view.length).toBe(0);
    expect(same(y, own.rotate(x, long))).toBe(true);
    own.rotate(tensor.data, { ...long, out: tensor.data });
    expect(same(tensor.data.slice(), y)).toBe(true);
    const list = fresh.tensor([10], new Array(10).fill(3));
    const [part, few] = [tensor.data.subarray(0, 80), { sequence: 10, heads: 1 }];
    const right = own.rotate(part.slice(), { ...few, positions: new Array(10).fill(3) });
    expect(own.rotate(part, { ...few, positions: list.data })).toEqual(right);
  });
});

it("rotateQK refuses outputs that cross or meet", () => {
  const at = { sequence: 2, heads: 1, positions: 7 };
  const [q, k, other] = [1, -1, 2].map((scale) => ropewalk.tensor([16], wave(16, scale))) as [Tensor, Tensor, Tensor];
  expect(() => rope.rotateQK(q, k, { ...at, outQ: k, outK: q })).toThrow("rotateQK: `outQ` is in the memory of `k`");
  expect(() => rope.rotateQK(q, k, { ...at, outQ: other, outK: other })).toThrow("`outK` is in the memory of `outQ`");
  expect(() => rope.rotateQK(q, q, at)).toThrow(RangeError);
  expect(q.data).toEqual(wave(16));
  expect(k.data).toEqual(wave(16, -1));
  const [a, b] = [wave(16), wave(16, -1)];
  const rotated = { q: rope.rotate(a, at), k: rope.rotate(b, at) };
  const memory = new Float32Array(24);
  const [outQ, outK] = [memory.subarray(0, 16), memory.subarray(8)];
  expect(() => rope.rotateQK(a, b, { ...at, outQ, outK })).toThrow("rotateQK: `outK` is in the memory of `outQ`");
  // Arrays are copied in first, so that these may cross.
  rope.rotateQK(a, b, { ...at, outQ: b, outK: a });
  expect({ q: b, k: a }).toEqual(rotated);
  for (const each of [q, k, other]) each.dispose();
});

describe("memory that cannot be had", () => {
  const noMore = () => {
    throw new RangeError("no more memory");
  };
  let refusals = 0;
  const isNoMemory = (call: () => unknown) => {
    try {
      return call();
    } catch (error) {
      expect((error as Error).constructor).toBe(Error);
      expect((error as Error).message).toMatch(/no memory/);
      refusals++;
      return undefined;
    }
  };
  const dispose = (made: unknown) => (made as { dispose?(): void } | undefined)?.dispose?.();

  it.skipIf(isNative)("is an Error in every call for ropes", async () => {
    const fresh = await load();
    const own = fresh.rope({ headDim: 8 });
    own.rotate(wave(48), sizes);
    const before = fresh.stats();
    const grow = vi.spyOn(WebAssembly.Memory.prototype, "grow").mockImplementation(noMore);
    try {
      const all: Tensor[] = [];
      for (let size = 2 ** 22; size >= 1; ) {
        try {
          all.push(fresh.tensor([size]));
        } catch (error) {
          expect((error as Error).message).toMatch(/^tensor: no memory for/);
          size = Math.floor(size / 2);
        }
      }
      const [x, y] = [all.at(-1)!, wave(48)];
      for (let i = 0; i < 3; i++) {
        isNoMemory(() => own.rotate(y, sizes));
        isNoMemory(() => own.rotate(y, { ...sizes, positions: [1, 2] }));
        isNoMemory(() => own.gradients(y, y, sizes));
        isNoMemory(() => own.table([1, 2, 3]));
        isNoMemory(() => own.rerotate(y, { ...sizes, to: { positions: [5, 7] } }));
        isNoMemory(() => own.rotateQK(y, wave(48), sizes));
        dispose(isNoMemory(() => fresh.rope({ headDim: 128 })));
        expect(() => fresh.rope({ headDim: 3 })).toThrow(/no memory|headDim/);
      }
      expect(refusals).toBeGreaterThan(0);
      x.dispose();
      for (const each of all) each.dispose();
    } finally {
      grow.mockRestore();
    }
    expect(own.rotate(wave(48), sizes)).toEqual(expected);
    expectSameMemory(fresh.stats(), before);
  });

  it.skipIf(isNative)("is an Error in every call for models", async () => {
    const fresh = await load();
    const config = {
      vocab_size: 50,
      hidden_size: 32,
      num_hidden_layers: 2,
      num_attention_heads: 2,
      intermediate_size: 64,
    };
    const batch = { inputIds: new Int32Array(64).fill(3), labels: new Int32Array(64).fill(3), batch: 4, sequence: 16 };
    const first = await fresh.trainer({ config });
    first.train(batch);
    const weights = first.save();
    const model = await fresh.encoder({ "config.json": config, "model.safetensors": weights });
    // Memory that they keep for the next pass is no leak.
    first.gradients(batch);
    model.forward(batch);
    const before = fresh.stats();
    const grow = vi.spyOn(WebAssembly.Memory.prototype, "grow").mockImplementation(noMore);
    const all: { dispose(): void }[] = [];
    try {
      for (const make of [
        () => fresh.trainer({ config }),
        () => fresh.encoder({ "config.json": config, "model.safetensors": weights }),
        () => fresh.task({ name: "copy" }),
      ]) {
        let full = false;
        while (!full) {
          await make().then(
            (made) => all.push(made),
            (error: Error) => {
              expect(error.message).toMatch(/no memory/);
              full = true;
            },
          );
        }
      }
      for (let i = 0; i < 3; i++) {
        isNoMemory(() => first.train(batch));
        isNoMemory(() => first.gradients(batch));
        isNoMemory(() => first.save());
        isNoMemory(() => model.forward(batch));
      }
    } finally {
      grow.mockRestore();
    }
    for (const each of all) each.dispose();
    expect(model.forward(batch).logits?.length).toBe(4 * 16 * 50);
    expect(first.save().length).toBe(weights.length);
    expectSameMemory(fresh.stats(), before);
  });
});

const at = (name: string) => fromRoot("web/public/model", name);
const config = readJson<object>("web/public/model/config.json");
const source = (): Record<string, FileSource> => ({
  "config.json": config,
  "model.safetensors": readFileSync(at("model.safetensors")),
  "tokenizer.json": readFileSync(at("tokenizer.json")),
});

describe("models", () => {
  it("may be disposed of while their input is read", async () => {
    const model = await ropewalk.encoder(source());
    const input = {
      inputIds: [1, 2],
      get sequence() {
        model.dispose();
        return 2;
      },
    };
    expect(() => model.forward(input)).toThrow("forward: this Encoder has been disposed");
    const task = await ropewalk.task({ name: "copy" });
    const sizesOfTask = {
      batch: 2,
      get sequence() {
        task.dispose();
        return 16;
      },
    };
    expect(() => task.batch(sizesOfTask)).toThrow("batch: this Task has been disposed");
  });
});

describe("workers", () => {
  /** The worker that was asked last. */
  async function lastWorker(call: () => Promise<unknown>): Promise<Worker> {
    let last: Worker | undefined;
    const post = Worker.prototype.postMessage;
    const spy = vi.spyOn(Worker.prototype, "postMessage").mockImplementation(function (this: Worker, ...args) {
      last = this;
      post.apply(this, args);
    });
    await call();
    spy.mockRestore();
    return last!;
  }

  it("get numbers and nothing else", async () => {
    const model = await ropewalk.encoder(source(), { workers: 1 });
    const plain = await model.forward({ inputIds: [1, 2], sequence: 2 });
    const extra = { inputIds: [1, 2], sequence: 2, extra: () => 1, symbol: Symbol("s") };
    expect(await model.forward(extra, { scores: false })).toEqual(plain);
    await expect(model.forward(extra, { also: () => 1 } as object)).rejects.toThrow("forward: unknown option `also`");
    const proxy = new Proxy({ inputIds: [1, 2], sequence: 2 }, {});
    expect(await model.forward(proxy)).toEqual(plain);
    await expect(model.forward({ inputIds: [1, () => 1] as never, sequence: 2 })).rejects.toThrow(
      "forward: `inputIds[1]`",
    );
    expect((await model.embed("the rope")).length).toBe(128);
    model.dispose();
  });

  it("stay when something cannot be copied to them", async () => {
    const asked: unknown[] = [];
    const channel: Channel = {
      post(request) {
        asked.push(structuredClone(request));
        queueMicrotask(() => channel.onAnswer({ id: request.id, result: {} }));
      },
      onAnswer() {},
      onFailure() {},
      hold() {},
      close() {},
    };
    const pool = new WorkerPool("encoder", [channel]);
    const pass = (input: object) => pool.ask("forward", { input, outputs: {} } as never);
    await expect(pass({ extra: () => 1 })).rejects.toThrow(TypeError);
    await expect(pass({ extra: 1 })).resolves.toEqual({});
    expect(asked.length).toBe(1);
  });

  it("that end without an error are noticed, by what runs and by what follows", async () => {
    const model = await ropewalk.encoder(source(), { workers: 1 });
    const worker = await lastWorker(() => model.embed(["x"]));
    const running = model.embed(["the rope"]);
    await worker.terminate();
    await expect(running).rejects.toThrow("encoder: a worker has ended");
    await expect(model.embed(["x"])).rejects.toThrow("encoder: a worker has ended");
    model.dispose();
  });

  it("that end while they load a model are an error of that call alone", async () => {
    const post = Worker.prototype.postMessage;
    for (const workers of [1, 2]) {
      let asked = 0;
      // Each is told to open the model, and ends.
      const spy = vi.spyOn(Worker.prototype, "postMessage").mockImplementation(function (this: Worker, ...args) {
        if (++asked === workers) void this.terminate();
        else post.apply(this, args);
      });
      await expect(ropewalk.encoder(source(), { workers })).rejects.toThrow("encoder: a worker has ended");
      spy.mockRestore();
      expect(asked).toBe(workers);
    }
    const model = await ropewalk.encoder(source(), { workers: 2 });
    expect((await model.embed("the rope")).length).toBe(128);
    model.dispose();
  });

  it("leave no listener on a signal that outlives the calls, and never more than one", async () => {
    const model = await ropewalk.encoder(source(), { workers: 2 });
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, "addEventListener");
    const asked = model.embed(Array(20).fill("x"), { signal });
    expect(getEventListeners(signal, "abort").length).toBeLessThanOrEqual(1);
    await asked;
    expect(add).toHaveBeenCalled();
    expect(getEventListeners(signal, "abort").length).toBe(0);
    const aborted = new AbortController();
    const all = model.embed(Array(20).fill("x"), { signal: aborted.signal });
    aborted.abort();
    await expect(all).rejects.toThrow("abort");
    expect((await model.embed("x")).length).toBe(128);
    model.dispose();
  });
});

describe("a stream that stalls is given up at once when the signal aborts:", () => {
  /** Says something, and then never anything more, not even that it has been cancelled. */
  const stalled = () =>
    new Response(
      new ReadableStream({
        start: (stream) => stream.enqueue(Uint8Array.of(100)),
        cancel: () => new Promise(() => {}),
      }),
    );
  it.each<[string, (weights: Response, signal: AbortSignal) => Promise<unknown>]>([
    ["encoder", (weights, signal) => ropewalk.encoder({ ...source(), "model.safetensors": weights }, { signal })],
    [
      "encoder in workers",
      (weights, signal) => ropewalk.encoder({ ...source(), "model.safetensors": weights }, { signal, workers: 1 }),
    ],
    ["trainer", (weights, signal) => ropewalk.trainer({ config, weights }, { signal })],
  ])("%s", async (_, open) => {
    const abort = new AbortController();
    const opening = open(stalled(), abort.signal) as Promise<Encoder>;
    setTimeout(() => abort.abort(), 50);
    await expect(opening).rejects.toThrow("abort");
    expect(getEventListeners(abort.signal, "abort").length).toBe(0);
  });
});
