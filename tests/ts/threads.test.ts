/** Threads of one call: the bits of one thread, and one thread wherever there cannot be several. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Decoder, type Encoder, load, type Ropewalk } from "ropewalk";
import { describe, expect, it, vi } from "vitest";
import { withSharedImport, withSharedMemory } from "../../bindings/ts/module/shared-memory.js";
import { testFolder } from "./command-line.js";
import { fromRoot, writeFiles } from "./files.js";
import { idsOf, largeDecoder, largeEncoder } from "./large-model.js";
import { expectSameMemory } from "./memory.js";
import { filesOf } from "./model-folder.js";

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array) => Buffer.from(buffer, byteOffset, byteLength);

function vectorsOf(model: Encoder): Buffer {
  const shapes = [
    [1, 5],
    [3, 70],
  ] as const;
  return Buffer.concat(
    shapes.map(([batch, sequence]) => {
      const inputIds = idsOf(batch * sequence);
      const attentionMask = Array.from(inputIds, (_, i) => Number(i % sequence < sequence - 2));
      const output = model.forward({ inputIds, batch, sequence, attentionMask }, { attentions: true });
      return Buffer.concat([output.lastHiddenState!, ...output.attentions!].map(bytesOf));
    }),
  );
}

function logitsOf(model: Decoder): Buffer {
  const found: Buffer[] = [];
  for (const [dtype, keys] of [
    ["float32", "raw"],
    ["float32", "rotated"],
    ["float16", "rotated"],
    ["int8", "raw"],
  ] as const) {
    using cache = model.cache({ dtype, keys });
    found.push(bytesOf(cache.feed(idsOf(150))), bytesOf(cache.feed([7])));
  }
  return Buffer.concat(found);
}

async function running(ropewalk: Ropewalk, threads: number): Promise<void> {
  while (ropewalk.threads < threads) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Two of two processors and half of more, up to four. */
const defaultThreads = [1, 1, 2, 2, 2, 2, 3, 3][availableParallelism()] ?? 4;

// On a busy machine a call waits for threads that have no processor.
vi.setConfig({ testTimeout: 240_000 });

const PRECISIONS = ["float32", "int8"] as const;

describe("with the bits of one thread", async () => {
  const one = await load({ threads: 1 });
  const makers = {
    encoder: async (ropewalk: Ropewalk, precision: "float32" | "int8") => {
      using model = await ropewalk.encoder({ ...largeEncoder() }, { precision });
      await running(ropewalk, wanted.get(ropewalk)!);
      return vectorsOf(model);
    },
    decoder: async (ropewalk: Ropewalk, precision: "float32" | "int8") => {
      using model = await ropewalk.decoder({ ...largeDecoder() }, { precision });
      await running(ropewalk, wanted.get(ropewalk)!);
      return logitsOf(model);
    },
  };
  const wanted = new Map<Ropewalk, number>([[one, 1]]);
  const expected = new Map<string, Buffer>();

  it.each(Object.keys(makers).flatMap((kind) => PRECISIONS.map((precision) => [kind, precision] as const)))(
    "%s in %s",
    async (kind, precision) => {
      const make = makers[kind as keyof typeof makers];
      expected.set(kind + precision, await make(one, precision));
      expect(one.threads).toBe(1);
      for (const threads of [2, 3, 4]) {
        const several = await load({ threads });
        wanted.set(several, threads);
        const found = await make(several, precision);
        expect(several.threads).toBe(threads);
        expect(found.equals(expected.get(kind + precision)!), `${threads} threads`).toBe(true);
      }
    },
  );
});

it("has one copy of the weights", async () => {
  const memoryWith = async (threads: number) => {
    const ropewalk = await load({ threads, variant: "simd" });
    using model = await ropewalk.encoder({ ...largeEncoder() });
    await running(ropewalk, threads);
    vectorsOf(model);
    return ropewalk.stats().memoryBytes;
  };
  const weights = largeEncoder()["model.safetensors"].length;
  // Each thread has a stack and scratch memory.
  expect((await memoryWith(4)) - (await memoryWith(1))).toBeLessThan(weights / 2);
});

it("is cancelled as with one thread, and works on", async () => {
  const ropewalk = await load({ threads: 2 });
  using model = await ropewalk.encoder({ ...largeEncoder() });
  await running(ropewalk, 2);
  const before = vectorsOf(model);
  const reason = new Error("enough");
  const controller = new AbortController();
  controller.abort(reason);
  await expect(ropewalk.encoder({ ...largeEncoder() }, { signal: controller.signal })).rejects.toBe(reason);
  expect(vectorsOf(model).equals(before)).toBe(true);
});

it("works on after a model is disposed, and after one has taken all scratch memory anew", async () => {
  const ropewalk = await load({ threads: 2 });
  const first = await ropewalk.encoder({ ...largeEncoder() });
  await running(ropewalk, 2);
  const before = vectorsOf(first);
  first.dispose();
  using second = await ropewalk.encoder({ ...largeEncoder() });
  const inputIds = idsOf(4 * 512);
  second.forward({ inputIds, batch: 4, sequence: 512 });
  expect(vectorsOf(second).equals(before)).toBe(true);
});

it("keeps the memory of a module that comes compiled, and then has one thread", async () => {
  const modelWasm = await WebAssembly.compile(readFileSync(fromRoot("dist/model.wasm")));
  const ropewalk = await load({ threads: 2, modelWasm });
  using model = await ropewalk.encoder({ ...largeEncoder() });
  using other = await (await load({ threads: 1 })).encoder({ ...largeEncoder() });
  expect(vectorsOf(model).equals(vectorsOf(other))).toBe(true);
  expect(ropewalk.threads).toBe(1);
});

it("has several threads by default once a model has a million parameters", async () => {
  const ropewalk = await load();
  expect(await load({ threads: "auto" })).toBe(ropewalk);
  expect(await load({ threads: 1 })).not.toBe(ropewalk);
  using small = await ropewalk.encoder(filesOf("bert-minilm"));
  expect(small.parameterCount).toBeLessThan(1e6);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(ropewalk.threads).toBe(1);
  using large = await ropewalk.encoder({ ...largeEncoder() });
  expect(large.parameterCount).toBeGreaterThan(1e6);
  await running(ropewalk, defaultThreads);
  expect(ropewalk.threads).toBe(defaultThreads);
});

it("counts no memory of threads as that of objects", async () => {
  const statsWith = async (threads: number) => {
    const ropewalk = await load({ threads, variant: "simd" });
    const model = await ropewalk.encoder({ ...largeEncoder() });
    await running(ropewalk, threads);
    vectorsOf(model);
    model.dispose();
    return ropewalk.stats();
  };
  expectSameMemory(await statsWith(5), await statsWith(1));
});

it("gives arrays in memory of their own, which can be transferred", async () => {
  const ropewalk = await load({ threads: 2 });
  using encoder = await ropewalk.encoder({ ...largeEncoder() });
  using decoder = await ropewalk.decoder({ ...largeDecoder() });
  await running(ropewalk, 2);
  const { lastHiddenState, attentions } = encoder.forward({ inputIds: idsOf(70), sequence: 70 }, { attentions: true });
  using cache = decoder.cache();
  const logits = cache.feed(idsOf(150));
  const arrays = [lastHiddenState!, ...attentions!, logits, cache.tokens(), cache.save()];
  for (const array of arrays) {
    expect(array.buffer).toBeInstanceOf(ArrayBuffer);
    const { length } = array;
    expect(structuredClone(array, { transfer: [array.buffer as ArrayBuffer] })).toHaveLength(length);
  }
});

it.each([0, 17, 1.5, -1, Number.NaN, "two", null])("refuses threads: %s", async (threads) => {
  await expect(load({ threads: threads as never })).rejects.toThrow(
    /load: `threads` is .*; allowed: "auto" or a whole number from 1 to 16/,
  );
});

describe("in a process of its own", () => {
  const folder = testFolder("threads");
  writeFiles(folder, Object.entries(largeEncoder()));

  interface Way {
    options?: string;
    flags?: string[];
    env?: NodeJS.ProcessEnv;
  }

  async function run(args: string[], env: NodeJS.ProcessEnv = {}): Promise<string[]> {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, {
      cwd: fromRoot(),
      maxBuffer: 1 << 26,
      env: { ...process.env, ...env },
    });
    expect(stderr).toBe("");
    return stdout.trim().split("\n");
  }

  /** The lines that a script prints after `before`, which runs before the package is loaded. */
  async function told(before: string, after: string, way: Way = {}): Promise<string[]> {
    const { options = "{ threads: 3 }", flags = [], env } = way;
    const script = `
      ${before}
      const { load } = await import("ropewalk");
      const ropewalk = await load(${options});
      const model = await ropewalk.encoder(${JSON.stringify(folder)});
      const inputIds = Int32Array.from({ length: 200 }, (_, i) => 1 + ((i * 37) % 999));
      const vector = () => Buffer.from(model.forward({ inputIds, sequence: 200 }).lastHiddenState.buffer).toString("base64");
      const running = async (count) => {
        while (ropewalk.threads !== count) await new Promise((resolve) => setTimeout(resolve, 5));
      };
      ${after}`;
    return run([...flags, "--input-type=module", "--eval", script], env);
  }

  /** Lets the script see, or change, the threads that are started. */
  const watched = (body: string) => `
    const workers = await import("node:worker_threads");
    const { syncBuiltinESMExports } = await import("node:module");
    const started = [];
    const Worker = workers.default.Worker;
    workers.default.Worker = class extends Worker {
      constructor(script, options) { ${body} started.push(this); }
    };
    syncBuiltinESMExports();`;

  const single = load({ threads: 1 })
    .then((ropewalk) => ropewalk.encoder({ ...largeEncoder() }))
    .then((model) => {
      const { lastHiddenState } = model.forward({ inputIds: idsOf(200), sequence: 200 });
      model.dispose();
      return bytesOf(lastHiddenState!).toString("base64");
    });

  it("ends by itself while its threads wait", async () => {
    expect(await told("", "await running(3); console.log(vector());")).toEqual([await single]);
  });

  it("ends by itself while its threads start", async () => {
    expect(await told("", "console.log(vector());")).toEqual([await single]);
  });

  it("does not miss threads that have died", async () => {
    const lines = await told(
      watched("super(script, options);"),
      `await running(3);
       await started[0].terminate();
       console.log(vector(), ropewalk.threads);
       await Promise.all(started.map((worker) => worker.terminate()));
       console.log(vector(), ropewalk.threads);`,
    );
    expect(lines).toEqual([`${await single} 2`, `${await single} 1`]);
  });

  it("does not miss threads that die while they start", async () => {
    const lines = await told(
      watched("super(script, options); this.once('exit', () => { this.hasEnded = true; }); this.terminate();"),
      `while (!started[0]?.hasEnded) await new Promise((resolve) => setTimeout(resolve, 5));
       await new Promise((resolve) => setTimeout(resolve, 50));
       console.log(vector(), ropewalk.threads);`,
    );
    expect(lines).toEqual([`${await single} 1`]);
  });

  it("loads the next model as well where threads of the first have died", async () => {
    const lines = await told(
      watched("super(script, options);"),
      `await running(3);
       await Promise.all(started.map((worker) => worker.terminate()));
       const next = await ropewalk.encoder(${JSON.stringify(folder)});
       const { lastHiddenState } = next.forward({ inputIds, sequence: 200 });
       console.log(Buffer.from(lastHiddenState.buffer).toString("base64"), ropewalk.threads);`,
    );
    expect(lines).toEqual([`${await single} 1`]);
  });

  // One worker alone: two would get the same stack here, and one of them might leave a part half done.
  it("does once more what a thread has begun and not done", async () => {
    // The first function that a thread takes from the table sets its stack: with one that is too small its first part fails.
    const small = `{
      const get = WebAssembly.Table.prototype.get;
      let isFirst = true;
      WebAssembly.Table.prototype.get = function (place) {
        const found = get.call(this, place);
        if (!isFirst) return found;
        isFirst = false;
        return () => found(64);
      };
    }`;
    const lines = await told(
      watched(`super(${JSON.stringify(small)} + script, options);`),
      `await running(2);
       // The thread fails once it has a part, which it may miss in one call.
       for (let call = 0; call < 1000 && ropewalk.threads > 1; call++) {
         console.log(vector());
         await new Promise((resolve) => setTimeout(resolve, 5));
       }
       console.log(ropewalk.threads);`,
      { options: "{ threads: 2 }" },
    );
    expect(lines.pop()).toBe("1");
    expect(new Set(lines)).toEqual(new Set([await single]));
  });

  it("has one thread where none can be started", async () => {
    const lines = await told(
      watched('throw new Error("no threads here"); super(script, options);'),
      `await new Promise((resolve) => setTimeout(resolve, 50));
       console.log(vector(), ropewalk.threads);`,
    );
    expect(lines).toEqual([`${await single} 1`]);
  });

  it("has as many as processors allow, unless told otherwise", async () => {
    const lines = await told("", `await running(${defaultThreads}); console.log(vector());`, { options: "" });
    expect(lines).toEqual([await single]);
  });

  it("starts none in a worker thread, whose program has divided the work already", async () => {
    const inWorker = `
      const { parentPort } = require("node:worker_threads");
      import("ropewalk").then(async ({ load }) => {
        const found = [];
        for (const options of [{}, { threads: 2 }]) {
          const ropewalk = await load(options);
          const model = await ropewalk.encoder(${JSON.stringify(folder)});
          const end = performance.now() + (options.threads ? Infinity : 100);
          while (ropewalk.threads === 1 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 5));
          found.push(ropewalk.threads);
        }
        parentPort.postMessage(found.join(" "));
      });`;
    const script = `
      import { Worker } from "node:worker_threads";
      new Worker(${JSON.stringify(inWorker)}, { eval: true, execArgv: [] }).on("message", (threads) => console.log(threads));`;
    expect(await run(["--input-type=module", "--eval", script])).toEqual(["1 2"]);
  });

  it("starts none in a process of node:cluster", async () => {
    const file = join(folder, "cluster.mjs");
    writeFileSync(
      file,
      `import cluster from "node:cluster";
       if (cluster.isPrimary) cluster.fork().on("message", (threads) => console.log(threads));
       else {
         const { load } = await import(${JSON.stringify(fromRoot("dist/node.js"))});
         const ropewalk = await load();
         await ropewalk.encoder(${JSON.stringify(folder)});
         await new Promise((resolve) => setTimeout(resolve, 100));
         process.send(ropewalk.threads, () => process.disconnect());
       }`,
    );
    expect(await run([file])).toEqual(["1"]);
  });

  it("has one thread where Node may not start any", async () => {
    const permission = ["--permission", "--experimental-permission"].find((flag) =>
      process.allowedNodeEnvironmentFlags.has(flag),
    )!;
    const lines = await told(
      "",
      "await new Promise((resolve) => setTimeout(resolve, 50)); console.log(vector(), ropewalk.threads);",
      { flags: ["--no-warnings", permission, "--allow-fs-read=*"] },
    );
    expect(lines).toEqual([`${await single} 1`]);
  });

  it("loads nothing into a thread that NODE_OPTIONS loads into the program", async () => {
    const file = join(folder, "first.cjs");
    writeFileSync(file, "console.log('first');");
    const env = { NODE_OPTIONS: `--require=${file}` };
    expect(await told("", "await running(3); console.log(ropewalk.threads);", { env })).toEqual(["first", "3"]);
  });

  it("has one thread where memory cannot be shared", async () => {
    const lines = await told("delete globalThis.SharedArrayBuffer;", "console.log(vector(), ropewalk.threads);");
    expect(lines).toEqual([`${await single} 1`]);
  });
});

describe("a module with shared memory", () => {
  const read = (name: string) => new Uint8Array(readFileSync(fromRoot(`dist/${name}.wasm`)));

  it.each(["model", "decoder"])("%s.wasm imports it, and keeps what it begins with", async (name) => {
    const { bytes, memory } = withSharedMemory(read(name))!;
    const module = await WebAssembly.compile(bytes);
    expect(WebAssembly.Module.imports(module)).toContainEqual({ module: "env", name: "memory", kind: "memory" });
    expect(memory.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(new Uint8Array(memory.buffer).some((byte) => byte !== 0)).toBe(true);
  });

  it("is not made of others", () => {
    expect(withSharedMemory(read("relaxed"))).toBeUndefined();
    expect(withSharedMemory(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0))).toBeUndefined();
  });

  it.runIf(WebAssembly.validate(read("relaxed")))("relaxed.wasm takes a shared one", async () => {
    const module = await WebAssembly.compile(withSharedImport(read("relaxed")));
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 32768, shared: true });
    const { exports } = await WebAssembly.instantiate(module, { env: { memory } });
    expect(Object.keys(exports)).toContain("6");
  });
});
