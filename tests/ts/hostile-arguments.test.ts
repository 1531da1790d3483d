/** Arguments that run a caller's code while they are read, objects that are disposed of in the middle, and long files. */
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Decoder, type KeyCache, load, type ModelFiles } from "ropewalk";
import { expect, it, vi } from "vitest";
import { testFolder } from "./command-line.js";
import { goldenPath } from "./golden.js";
import { expectSameMemory } from "./memory.js";
import { filesOf, vocabulary } from "./model-folder.js";

const ropewalk = await load();
const llama = goldenPath("decoders/llama");
const scratch = testFolder("arguments");
const ids = (read: () => void) => ({
  length: 1,
  get 0() {
    read();
    return 1;
  },
});

it.each<[string, (cache: KeyCache, model: Decoder) => unknown]>([
  ["feed", (cache) => cache.feed(ids(() => cache.dispose()))],
  ["prefill", (cache) => cache.prefill(ids(() => cache.dispose()))],
  ["prefill", (cache) => cache.prefill([1, 2], { onProgress: () => cache.dispose() })],
  ["prefill", (cache, model) => cache.prefill([1, 2], { onProgress: () => model.dispose() })],
  [
    "drop",
    (cache) =>
      cache.drop(0, 1, {
        get rotate() {
          cache.dispose();
          return true;
        },
      }),
  ],
  [
    "append",
    (cache, model) => {
      const chunk = model.chunk([1]);
      cache.append(chunk, {
        get from() {
          chunk.dispose();
          return 0;
        },
        to: 1,
      });
    },
  ],
  [
    "rescale",
    (cache) =>
      cache.rescale({
        rope_type: "linear",
        get factor() {
          cache.dispose();
          return 2;
        },
      }),
  ],
  ["chunk", (_, model) => model.chunk(ids(() => model.dispose()))],
  [
    "cache",
    (_, model) =>
      model.cache({
        get dtype() {
          model.dispose();
          return "float32" as const;
        },
      }),
  ],
])("%s names itself where reading its arguments disposes of the object, and nothing is left", async (name, call) => {
  const before = ropewalk.stats();
  const model = await ropewalk.decoder(llama);
  const cache = model.cache();
  cache.feed([1, 2, 3]);
  const outcome = (async () => call(cache, model))();
  await expect(outcome).rejects.toMatchObject({ code: "disposed", function: name });
  model.dispose();
  // The module keeps a little for its errors.
  const now = ropewalk.stats();
  expectSameMemory({ ...now, heapBytes: Math.max(before.heapBytes, now.heapBytes - 4096) }, before);
});

it("looks through the caches that it made so seldom that their number does not matter", async () => {
  using model = await ropewalk.decoder(llama);
  const looks = vi.spyOn(WeakRef.prototype, "deref");
  for (let i = 0; i < 2000; i++) model.cache().dispose();
  expect(looks.mock.calls.length).toBeLessThan(8000);
  looks.mockRestore();
});

it.each([
  [
    "a hole",
    () => Object.assign(new Array<string>(2), { 1: "a" }),
    {},
    "embed: `texts[0]` is undefined; allowed: a text",
  ],
  ["a signal", () => ["a"], { signal: {} }, "`signal` is an object of class Object; allowed: an AbortSignal"],
  ["a progress", () => ["a"], { onProgress: 5 }, "embed: `onProgress` is 5; allowed: a function"],
])("embed refuses %s that is none", async (_, texts, options, message) => {
  using model = await ropewalk.encoder(filesOf("bert-minilm", { "vocab.txt": vocabulary() }));
  await expect((async () => model.embed(texts(), options as object))()).rejects.toThrow(message);
});

it("caches refuse what is no list of ids, nor JSON, and take a subclass for its bytes", async () => {
  using model = await ropewalk.decoder(llama);
  using cache = model.cache();
  expect(() => cache.feed({ length: 2 ** 40 })).toThrow("feed: `ids.length` is 1099511627776; allowed: up to 4194304");
  const circle: Record<string, unknown> = {};
  circle.own = circle;
  expect(() => cache.rescale(circle)).toThrow("rescale: `ropeParameters` cannot be written as JSON");
  cache.feed([1, 2]);
  class Short extends Uint8Array {
    override get length() {
      return 3;
    }
  }
  using restored = model.restore(new Short(cache.save().buffer));
  expect(restored.length).toBe(2);
  const moved = cache.save();
  structuredClone(moved.buffer, { transfer: [moved.buffer] });
  expect(() => model.restore(moved)).toThrow(expect.objectContaining({ function: "restore", argument: "bytes" }));
  using fork = cache.fork();
  expect(() => cache.append(fork as never)).toThrow("append: `chunk` is an object of class KeyCache; allowed: a Chunk");
});

const shards = (count: number, name: (at: number) => string) =>
  JSON.stringify({ weight_map: Object.fromEntries(Array.from({ length: count }, (_, i) => [`t${i}`, name(i)])) });

it.runIf(process.platform === "linux")("refused folders leave no file open", async () => {
  const open = () => readdirSync("/proc/self/fd").length;
  const refused = join(scratch, "refused");
  const split = join(scratch, "split");
  for (const folder of [refused, split]) cpSync(llama, folder, { recursive: true });
  const config = JSON.parse(readFileSync(join(llama, "config.json"), "utf8")) as object;
  writeFileSync(join(refused, "config.json"), JSON.stringify({ ...config, hidden_act: "nonsense" }));
  rmSync(join(split, "model.safetensors"));
  for (let i = 0; i < 9; i++) writeFileSync(join(split, `s${i}.safetensors`), new Uint8Array(50));
  // The tenth is missing.
  for (const count of [9, 10]) {
    writeFileSync(
      join(split, "model.safetensors.index.json"),
      shards(count, (i) => `s${i}.safetensors`),
    );
    const before = open();
    for (let i = 0; i < 10; i++)
      for (const folder of [refused, split])
        await expect(ropewalk.decoder(folder)).rejects.toMatchObject({ function: "decoder" });
    await vi.waitFor(() => expect(open()).toBeLessThan(before + 5), { timeout: 30_000 });
  }
});

const endless = () =>
  new Response(new ReadableStream({ pull: (sink) => sink.enqueue(new Uint8Array(1 << 20).fill(32)) }));

it.each<[string, ModelFiles, string]>([
  ["a configuration without end", (name) => (name === "config.json" ? endless() : undefined), "longer than 134217728"],
  [
    "an index that spells one shard in many ways",
    new Map<string, Uint8Array | object>([
      ...filesOf("bert-minilm", { "model.safetensors": undefined }),
      ["model.safetensors.index.json", JSON.parse(shards(20_000, (i) => `${"./".repeat(i)}s.safetensors`)) as object],
    ] as [string, Uint8Array][]),
    "which is not within the model's folder",
  ],
  [
    "modules without number",
    filesOf("bert-minilm", { "modules.json": new TextEncoder().encode(JSON.stringify(Array(1500).fill({}))) }),
    "names 1500 modules; allowed: up to 64",
  ],
  [
    "words without limit",
    filesOf("bert-minilm", {
      "tokenizer.json": {
        version: "1.0",
        added_tokens: [],
        model: { type: "WordPiece", unk_token: "[UNK]", max_input_chars_per_word: 1e9, vocab: { "[UNK]": 0 } },
      },
    }),
    "max_input_chars_per_word` is 1000000000; allowed: up to 1000",
  ],
])("%s is refused", async (_, files, message) => {
  await expect(ropewalk.encoder(files)).rejects.toThrow(message);
});

it.runIf(process.platform === "linux")("says that the address space has no room for a module", () => {
  const file = join(scratch, "load.mjs");
  const entry = JSON.stringify(import.meta.resolve("ropewalk"));
  const told = "({ code, message }) => console.log(code, message)";
  writeFileSync(file, `import { load } from ${entry};\nawait load({ threads: 1 }).catch(${told});\n`);
  const printed = execFileSync("bash", ["-c", 'ulimit -v 3000000; exec "$0" "$1"', process.execPath, file]);
  expect(String(printed)).toContain("out-of-memory load: there is no room for the module's memory");
});
