/** Every golden decoder through `decoder()`, within the tolerances of tests/golden/decoders/README.md. */
import { readdirSync } from "node:fs";
import { type Decoder, type KeyCache, load } from "ropewalk";
import { afterAll, describe, expect, it } from "vitest";
import { decoderFiles } from "./decoder-folder.js";
import { everyWay, idsOf } from "./every-way.js";
import { goldenBytes, goldenModel, goldenPath, readGolden } from "./golden.js";
import { differenceOf } from "./near.js";

const ropewalk = await load();
const folder = goldenPath("decoders/");

interface Step {
  op: "feed" | "trim" | "drop" | "append" | "rescale" | "fork";
  on?: string;
  ids?: number[];
  rows?: "all";
  logits?: number[];
  length?: number;
  from?: number;
  to?: number;
  as?: string;
  rope_parameters?: object;
  length_after?: number;
}

interface Expected {
  ids: number[];
  logits: number[];
  cache: { layer: number; keys: number[] };
  pieces: { sizes: number[]; same_logits: boolean; logits?: number[] };
  scripts: Record<string, Step[]>;
  scripts_keys_after?: Record<string, { layer: number; keys: number[] }>;
  greedy: { prompt: number[]; tokens: number[]; stops_after?: number };
}

/** Meta's form of a model has the logits of the other. */
function expectedOf(name: string): Expected {
  const own = readGolden<Expected & { same_as?: string }>(`decoders/${name}/expected.json`);
  if (own.same_as === undefined) return own;
  const other = readGolden<Expected>(`decoders/${name}/${own.same_as}/expected.json`);
  return { ...other, scripts_keys_after: {}, ...own };
}

const names = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith("train-"))
  .map((entry) => entry.name);

const distance = (actual: ArrayLike<number>, expected: ArrayLike<number>) => differenceOf(actual, expected).absolute;

function run(model: Decoder, steps: readonly Step[], keys: "rotated" | "raw"): { cache: KeyCache; worst: number } {
  const main = model.cache({ keys });
  const caches = new Map([["main", main]]);
  let worst = 0;
  for (const { op, on = "main", ids = [], from, to, ...step } of steps) {
    const cache = caches.get(on)!;
    if (op === "feed") worst = Math.max(worst, distance(cache.feed(ids, { all: step.rows === "all" }), step.logits!));
    else if (op === "trim") cache.trim(step.length!);
    else if (op === "drop") cache.drop(from!, to!);
    else if (op === "append") {
      const chunk = model.chunk(ids, { keys });
      expect([...chunk.tokens()]).toEqual(ids);
      cache.append(chunk, { ...(from !== undefined && { from }), ...(to !== undefined && { to }) });
      chunk.dispose();
    } else if (op === "rescale") cache.rescale(step.rope_parameters!);
    else caches.set(step.as!, cache.fork());
    if (step.length_after !== undefined) expect(cache.length).toBe(step.length_after);
  }
  return { cache: main, worst };
}

describe.each(names)("%s", async (name) => {
  const model = await ropewalk.decoder(`${folder}${name}`, { context: 64 });
  afterAll(() => model.dispose());
  const expected = expectedOf(name);
  const tolerance = name.startsWith("gemma") ? 5e-5 : 2e-5;

  it("gives the logits and the keys of the reference", () => {
    using cache = model.cache();
    expect(distance(cache.feed(expected.ids, { all: true }), expected.logits)).toBeLessThan(tolerance);
    expect(distance(cache.keys(expected.cache.layer), expected.cache.keys)).toBeLessThan(1e-5);
    expect([...cache.tokens()]).toEqual(expected.ids);
    expect(cache.bytes).toBeGreaterThan(0);
  });

  it("gives them in pieces", () => {
    using cache = model.cache();
    const vocabulary = expected.logits.length / expected.ids.length;
    const { sizes, same_logits: same, logits = [] } = expected.pieces;
    let at = 0;
    for (const size of sizes) {
      const found = cache.feed(expected.ids.slice(at, at + size), { all: true });
      const reference = (same ? expected.logits : logits).slice(at * vocabulary, (at + size) * vocabulary);
      expect(distance(found, reference)).toBeLessThan(tolerance);
      at += size;
    }
  });

  it.each(Object.entries(expected.scripts))("runs the script %s", (script, steps) => {
    for (const keys of ["rotated", "raw"] as const) {
      const { cache, worst } = run(model, steps, keys);
      expect(worst).toBeLessThan(tolerance);
      const after = expected.scripts_keys_after?.[script];
      if (after !== undefined) expect(distance(cache.keys(after.layer), after.keys)).toBeLessThan(1e-5);
    }
  });

  it("generates the reference's tokens", async () => {
    const { prompt, tokens, stops_after: stops } = expected.greedy;
    const generation = model.generate(prompt, { maxTokens: tokens.length });
    const found: number[] = [];
    for await (const { id, text, logProbability } of generation) {
      expect(text).toBe("");
      expect(logProbability).toBeLessThanOrEqual(0);
      found.push(id);
    }
    expect(found).toEqual(tokens.slice(0, found.length));
    if (stops !== undefined) {
      expect(found).toHaveLength(stops);
      expect(generation.finishReason).toBe("eos");
    } else if (generation.finishReason === "length") {
      expect(found).toHaveLength(tokens.length);
    } else {
      // The eos ids of the configuration are random here, and may come.
      expect(generation.finishReason).toBe("eos");
      expect([model.config.eos_token_id].flat()).toContain(found.at(-1));
    }
  });

  it("generates the same in every way in 8 bits", async () => {
    const { prompt, tokens } = expected.greedy;
    await everyWay(
      (options) => ropewalk.decoder(`${folder}${name}`, { context: 64, ...options }),
      (int8, options) => idsOf(int8.generate(prompt, { maxTokens: tokens.length, ...options })),
    );
  });

  it("says what it is", () => {
    expect(model.parameterCount).toBeGreaterThan(1000);
    expect(model.context).toBe(64);
    expect(model.ropes.flatMap(({ layers }) => layers).sort((a, b) => a - b)).toEqual(
      Array.from({ length: (model.config.num_hidden_layers as number | undefined) ?? 0 }, (_, i) => i),
    );
    expect(ropewalk.families().some((each) => each.modelType === model.modelType && each.kind === "decoder")).toBe(
      true,
    );
  });
});

describe("GGUF", () => {
  it.each(["llama-f32", "llama-q8_0", "llama-q4_0-rope-freqs", "llama-k", "qwen2-f16", "qwen2-bf16"])(
    "%s gives the logits of the reference",
    async (name) => {
      const { ids, logits } = readGolden<{ ids: number[]; logits: number[] }>(`gguf/${name}.json`);
      using model = await ropewalk.decoder(goldenPath(`gguf/${name}.gguf`));
      expect(model.modelType).toBe(name.split("-")[0]);
      expect(distance(model.cache().feed(ids, { all: true }), logits)).toBeLessThan(2e-5);
      const tokens = await everyWay(
        (options) => ropewalk.decoder(goldenPath(`gguf/${name}.gguf`), options),
        (int8, options) => idsOf(int8.generate(ids, { maxTokens: 24, ...options })),
      );
      expect(tokens.length).toBeGreaterThan(0);
    },
  );

  it("refuses hostile files, and works on", async () => {
    const { files: hostile } = readGolden<{ files: { file: string }[] }>("gguf/hostile/hostile.json");
    expect(hostile).toHaveLength(53);
    const refused = { function: "decoder", code: expect.any(String) };
    for (const { file } of hostile) {
      const bytes = goldenBytes(`gguf/hostile/${file}`);
      await expect(ropewalk.decoder({ "model.gguf": bytes }), file).rejects.toMatchObject(refused);
    }
    using model = await ropewalk.decoder({ "model.gguf": goldenBytes("gguf/hostile/good.gguf") });
    expect(model.cache().feed([1]).length).toBeGreaterThan(0);
  });
});

const more = goldenPath("decoders-2/");
const moreNames = readdirSync(more, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

it.each(moreNames)("%s of decoders-2 gives the reference's logits and tokens", async (name) => {
  using model = await ropewalk.decoder(`${more}${name}`, { context: 64 });
  const { ids, logits, greedy } = readGolden<Expected>(`decoders-2/${name}/expected.json`);
  using cache = model.cache();
  expect(differenceOf(cache.feed(ids, { all: true }), logits).relative).toBeLessThan(2e-5);
  const settings = { maxTokens: greedy.tokens.length };
  const found = await idsOf(model.generate(greedy.prompt, settings));
  expect(found.length).toBeGreaterThan(0);
  expect(found).toEqual(greedy.tokens.slice(0, found.length));
  await everyWay(
    (options) => ropewalk.decoder(`${more}${name}`, { context: 64, ...options }),
    (int8, options) => idsOf(int8.generate(greedy.prompt, { ...settings, ...options })),
  );
});

describe("a decoder with a recurrent state", async () => {
  const words = Array.from({ length: 67 }, (_, i) => (i < 3 ? ["<unk>", "<s>", "</s>"][i]! : `w${i}`));
  const tokenizer = structuredClone(decoderFiles()["tokenizer.json"]) as { model: { vocab: object } };
  tokenizer.model.vocab = Object.fromEntries(words.map((word, id) => [word, id]));
  const files = { ...goldenModel("decoders-2/qwen3_5"), "tokenizer.json": tokenizer };
  const model = await ropewalk.decoder(files, { context: 64 });
  afterAll(() => model.dispose());
  const { ids } = readGolden<Expected>("decoders-2/qwen3_5/expected.json");

  it("copies, saves and begins with a chunk, and refuses to be cut", () => {
    using cache = model.cache();
    using chunk = model.chunk(ids.slice(0, 9));
    cache.append(chunk);
    using fork = cache.fork();
    using restored = model.restore(cache.save());
    using whole = model.cache();
    const logits = [...whole.feed(ids)];
    for (const each of [cache, fork, restored]) expect([...each.feed(ids.slice(9))]).toEqual(logits);
    const refused = (call: () => void) =>
      expect(call).toThrow(expect.objectContaining({ code: "unsupported", argument: "cache" }));
    refused(() => cache.trim(5));
    refused(() => cache.drop(0, 5));
    refused(() => cache.append(chunk));
    expect(cache.length).toBe(ids.length);
    cache.trim(0);
    expect([...cache.feed(ids)]).toEqual(logits);
  });

  it("computes a text again that goes back to before a stop string", async () => {
    const prompt = ids.slice(0, 6);
    const all: number[] = [];
    for await (const { id } of model.generate(prompt, { maxTokens: 8 })) all.push(id);
    const stop = `${words[all[4]!]} ${words[all[5]!]}`;
    using cache = model.cache();
    const generation = model.generate(prompt, { cache, maxTokens: 8, stop: [stop] });
    await generation.text();
    expect(generation.finishReason).toBe("stop");
    expect([...cache.tokens()]).toEqual([...prompt, ...all.slice(0, 4)]);
    using fresh = model.cache();
    fresh.feed(cache.tokens());
    expect([...cache.feed([7])]).toEqual([...fresh.feed([7])]);
  });
});
