/**
 * Calls for encoders, decoders, GGUF files and the checker that ask for what cannot be: each fails with an error that
 * names the function that was called, leaves its inputs and the memory as they were, and the next call works.
 * tests/ts/hostile.test.ts does it for ropes.
 */
import {
  checkRope,
  type Decoder,
  type Encoder,
  type ErrorDetails,
  type FileSource,
  ggufMetadata,
  load,
  type RopeReport,
} from "ropewalk";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { isNative } from "./backend.js";
import { decoderFiles } from "./decoder-folder.js";
import { goldenBytes, readGolden } from "./golden.js";
import { expectSameMemory } from "./memory.js";
import { filesOf, unigram, vocabulary } from "./model-folder.js";

const ropewalk = await load({ analysis: true });
const other = await load();
const encoderFiles = (more: Record<string, FileSource | undefined> = {}) =>
  filesOf("bert-minilm", { "vocab.txt": vocabulary(), ...more });
const encoder = await ropewalk.encoder(encoderFiles());
const decoder = await ropewalk.decoder(decoderFiles());
const input = { inputIds: [2, 8, 9, 3], sequence: 4 };
const expected = {
  hidden: encoder.forward(input).lastHiddenState,
  logits: using(decoder.cache(), (cache) => cache.feed([1, 8, 9]).slice()),
};
afterAll(() => {
  encoder.dispose();
  decoder.dispose();
});

function using<T extends Disposable, R>(made: T, use: (made: T) => R): R {
  try {
    return use(made);
  } finally {
    made[Symbol.dispose]();
  }
}

afterEach(() => {
  expect(encoder.forward(input).lastHiddenState).toEqual(expected.hidden);
  expect(using(decoder.cache(), (cache) => cache.feed([1, 8, 9]).slice())).toEqual(expected.logits);
});

const bert = readGolden<object>("encoders/bert-minilm/config.json");
const llama = readGolden<object>("decoders/llama/config.json");

/** A safetensors file that says that its header has so many bytes. */
function headerOf(bytes: bigint): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(64).fill(32);
  new DataView(file.buffer).setBigUint64(0, bytes, true);
  return file;
}

/** A GGUF file of 24 bytes, which says that it has so many tensors and entries of metadata. */
function ggufOf(tensors: bigint, entries: bigint): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(64);
  const view = new DataView(file.buffer);
  file.set(new TextEncoder().encode("GGUF"));
  view.setUint32(4, 3, true);
  view.setBigUint64(8, tensors, true);
  view.setBigUint64(16, entries, true);
  return file;
}

const anEncoder = (config: object, more: Record<string, FileSource> = {}) =>
  ropewalk.encoder(encoderFiles({ "config.json": { ...bert, ...config } as FileSource, ...more }));
const aDecoder = (config: object, more: Record<string, FileSource> = {}) =>
  ropewalk.decoder({
    ...decoderFiles(more),
    "config.json": { ...llama, ...config } as FileSource,
  });
const aSentence = (files: Record<string, object>) =>
  ropewalk.encoder(encoderFiles(files as Record<string, FileSource>));
const terabyte = 2 ** 31 - 1;

const unigramFiles = (json: unknown) => filesOf("xlm-roberta-e5", { "tokenizer.json": json as FileSource });
const withTokenizer = (json: unknown) => () => ropewalk.encoder(unigramFiles(json));
const inBytes = (text: string) => new TextEncoder().encode(text);
const sound = unigram() as { model: object };
/** A tokenizer that does not know the words, and has no token for what it does not know. */
const withoutUnknown = { ...sound, model: { ...sound.model, unk_id: null } };

/**
 * A response of so many bytes behind a header's size that says the same: `begin`, `unit` again and again, and `end`. `told`
 * says how many of them have been asked for.
 */
function headerFile(size: number, begin: string, unit: string, end: string) {
  const part = inBytes(unit.repeat(Math.floor(65_536 / unit.length)));
  let asked = 0;
  let left = size - begin.length - end.length;
  const pieces = (function* () {
    const head = new Uint8Array(8);
    new DataView(head.buffer).setBigUint64(0, BigInt(size), true);
    yield head;
    yield inBytes(begin);
    for (; left >= part.length; left -= part.length) yield part.slice();
    const last = part.slice(0, left - (left % unit.length));
    yield inBytes(new TextDecoder().decode(last) + " ".repeat(left - last.length) + end);
  })();
  const body = new ReadableStream<Uint8Array>({
    pull(stream) {
      const { value, done } = pieces.next();
      if (done) return stream.close();
      asked += value.length;
      stream.enqueue(value);
    },
  });
  return { response: new Response(body) as never as FileSource, told: () => asked };
}

/** A title, a call, and words of its error's message, which begin with the name of the function. */
type Row = [what: string, call: () => unknown, words: RegExp];

describe("is refused by the function that was called:", () => {
  it.each<Row>([
    ["an encoder of a negative width", () => anEncoder({ hidden_size: -1 }), /^encoder: `hidden_size` is -1; /],
    ["an encoder of too many heads", () => anEncoder({ num_attention_heads: 7 }), /^encoder: .*heads/],
    [
      "an encoder whose vocabulary takes a terabyte",
      () => anEncoder({ vocab_size: terabyte }),
      /^encoder: `vocab_size` is 2147483647; /,
    ],
    [
      "an encoder whose layers take a terabyte",
      () => anEncoder({ num_hidden_layers: 1e6 }),
      /^encoder: `num_hidden_layers` is 1000000; /,
    ],
    ["an encoder of another kind", () => anEncoder({ model_type: "llama" }), /^encoder: .*"llama"/],
    [
      "modules of a kind that is not done",
      () => aSentence({ "modules.json": [{ idx: 0, name: "0", path: "", type: "x.LSTM" }] }),
      /^encoder: .*LSTM/,
    ],
    [
      "a pooling of a width that the model has not",
      () => aSentence({ "1_Pooling/config.json": { word_embedding_dimension: 7, pooling_mode_mean_tokens: true } }),
      /^encoder: .*7/,
    ],
    [
      "weights whose header would have 100 MB and more",
      () => anEncoder({}, { "model.safetensors": headerOf(100_000_001n) }),
      /^encoder: safetensors: .*100/,
    ],
    [
      "weights whose header would have 2^63 bytes",
      () => anEncoder({}, { "model.safetensors": headerOf(1n << 63n) }),
      /^encoder: safetensors: the header says/,
    ],
    [
      "weights that are no file of weights",
      () => anEncoder({}, { "model.safetensors": new Uint8Array(64).fill(7) }),
      /^encoder: safetensors: the header says/,
    ],
    ["a decoder of a negative width", () => aDecoder({ hidden_size: -1 }), /^decoder: `hidden_size` is -1; /],
    [
      "a decoder whose vocabulary takes a terabyte",
      () => aDecoder({ vocab_size: terabyte }),
      /^decoder: `vocab_size` is 2147483647; /,
    ],
    [
      "a decoder whose rope cannot be",
      () => aDecoder({ rope_parameters: { rope_type: "default", rope_theta: -1 } }),
      /^decoder: .*rope_theta.* is -1/,
    ],
    ["a decoder of another kind", () => aDecoder({ model_type: "bert" }), /^decoder: .*"bert"/],
    [
      "a decoder whose header would have 100 MB and more",
      () => aDecoder({}, { "model.safetensors": headerOf(100_000_001n) }),
      /^decoder: safetensors: .*100/,
    ],
    [
      "a context of a terabyte",
      () => ropewalk.decoder(decoderFiles(), { context: terabyte }),
      /^decoder: `context` is 2147483647/,
    ],
    [
      "a GGUF file of 2^63 tensors",
      () => ropewalk.decoder({ "model.gguf": ggufOf(1n << 63n, 0n) }),
      /^decoder: gguf: /,
    ],
    [
      "a GGUF file of 2^63 entries",
      () => ropewalk.decoder({ "model.gguf": ggufOf(0n, 1n << 63n) }),
      /^decoder: gguf: /,
    ],
    ["metadata of 2^63 entries", () => ggufMetadata(ggufOf(0n, 1n << 63n)), /^ggufMetadata: gguf: /],
    [
      "a size of an encoder that cannot be",
      () => ropewalk.modelSize(encoderFiles({ "config.json": { ...bert, hidden_size: -1 } as FileSource })),
      /^modelSize: `hidden_size` is -1/,
    ],
    [
      "100,000 tokens for an encoder of 40 positions",
      () => encoder.forward({ inputIds: new Int32Array(1e5).fill(8), sequence: 1e5 }),
      /^forward: .*100000/,
    ],
    [
      "100,000 tokens for a decoder of 128 positions",
      () => using(decoder.cache(), (cache) => cache.feed(new Int32Array(1e5).fill(8))),
      /^feed: .*100000/,
    ],
    [
      "a prompt of 100,000 tokens",
      () => decoder.generate(new Int32Array(1e5).fill(8)).text(),
      /^generate: the prompt is 100000 tokens/,
    ],
    [
      "ids that the vocabulary has not",
      () => encoder.forward({ inputIds: [2, 1e9, 9, 3], sequence: 4 }),
      /^forward: .*1000000000/,
    ],
    ["a tokenizer that is no JSON", withTokenizer(inBytes("{")), /^encoder: `tokenizer.json` is not JSON/],
    ["a tokenizer that is a list", withTokenizer(inBytes("[]")), /^encoder: `tokenizer.json` holds no JSON/],
    ["a tokenizer of nothing", withTokenizer({}), /^encoder: `tokenizer.json` .*"model"/],
    [
      "a tokenizer without a vocabulary",
      withTokenizer({ ...sound, model: { type: "Unigram" } }),
      /^encoder: `tokenizer.json` is not a tokenizer.json that can be read/,
    ],
    [
      "a tokenizer nested 2,000 deep",
      withTokenizer({
        ...sound,
        normalizer: JSON.parse(
          `${'{"type":"Sequence","normalizers":['.repeat(2000)}{"type":"NFC"}${"]}".repeat(2000)}`,
        ) as object,
      }),
      /^encoder: `tokenizer.json` is not a tokenizer.json that can be read/,
    ],
    [
      "a tokenizer whose pattern is none",
      withTokenizer({ ...sound, pre_tokenizer: { type: "Split", pattern: { Regex: "(" }, behavior: "Isolated" } }),
      /^encoder: `tokenizer.json` .*regular expression/i,
    ],
    [
      "a text that the vocabulary has not",
      async () => {
        using model = await ropewalk.encoder(unigramFiles(withoutUnknown));
        await model.embed("the zzz rope");
      },
      /^embed: `text` is "zzz"; allowed: text of the vocabulary/,
    ],
    [
      "a prompt that the vocabulary has not",
      async () => {
        using model = await ropewalk.decoder({ ...decoderFiles(), "tokenizer.json": withoutUnknown as FileSource });
        await model.generate("the zzz rope").text();
      },
      /^generate: `text` is "zzz"; allowed: text of the vocabulary/,
    ],
    ["a state that no cache saved", () => decoder.restore(new Uint8Array(1000).fill(255)), /^restore: /],
  ])("%s", async (_, call, words) => {
    const fn = /^\^(\w+): /.exec(words.source)![1];
    let before = ropewalk.stats();
    for (let i = 0; i < 3; i++) {
      // Memory that the first pass keeps for the next is no leak.
      if (i === 1) before = ropewalk.stats();
      const error = await (async () => call())().then(
        () => new Error("nothing was refused"),
        (refused: Error) => refused,
      );
      expect(error.message).toMatch(words);
      expect(error).toMatchObject({ function: fn, code: expect.any(String) });
    }
    expectSameMemory(ropewalk.stats(), before);
  });
});

describe("a header of weights", () => {
  const limit = 16 << 20;
  const loaded = (weights: FileSource) =>
    anEncoder({}, { "model.safetensors": weights }).then(
      () => new Error("nothing was refused"),
      (error: Error) => error,
    );

  it("of 100 MB is refused before it is read", async () => {
    const before = ropewalk.stats();
    const { response, told } = headerFile(1e8, "{", " ", "}");
    expect((await loaded(response)).message).toMatch(
      /^encoder: safetensors: the header says 100000000 bytes; allowed: up to 16777216/,
    );
    expect(told()).toBeLessThan(1e6);
    expectSameMemory(ropewalk.stats(), before);
  });

  it.each<[what: string, begin: string, unit: string, end: string, words: RegExp]>([
    ["spaces", "{", " ", "}", /the checkpoint lacks/],
    ["one name", '{"', "x", '":{}}', /tensor "x+" has no `dtype`/],
    ["numbers", '{"x":[0', ",0", "]}", /more than 1048576 values/],
    ["lists in lists", "", "[", "", /nested deeper than 64 levels/],
    [
      "a tensor named again and again",
      "{",
      '"a":{"dtype":"F32","shape":[],"data_offsets":[0,0]},',
      '"b":{}}',
      /values/,
    ],
  ])("as large as one may be, of %s, is read and refused", async (_, begin, unit, end, words) => {
    const before = ropewalk.stats();
    const { response, told } = headerFile(limit, begin, unit, end);
    const error = (await loaded(response)) as Error & Partial<ErrorDetails>;
    expect(error.message).toMatch(words);
    expect(error.function).toBe("encoder");
    expect(told()).toBe(limit + 8);
    expectSameMemory(ropewalk.stats(), before);
  });
});

it("a text of 200,000 letters is embedded as its beginning", async () => {
  const json = { ...unigram(), pre_tokenizer: null } as FileSource;
  using model = await ropewalk.encoder(filesOf("xlm-roberta-e5", { "tokenizer.json": json }));
  const begin = await model.embed("rope".repeat(model.maxTokens));
  const before = ropewalk.stats();
  expect(await model.embed("rope".repeat(5e4))).toEqual(begin);
  expectSameMemory(ropewalk.stats(), before);
});

describe("the checker", () => {
  const report = checkRope({ config: llama }, {});
  let deep: object = {};
  for (let i = 0; i < 10_000; i++) deep = { deep };
  it.each<[what: string, subject: object]>([
    ["a configuration 10,000 deep", { config: { ...llama, deep } }],
    ["12 million inverse frequencies", { inverseFrequencies: new Float64Array(12e6).fill(0.5) }],
    ["inverse frequencies that are no numbers", { inverseFrequencies: [Number.NaN, 1, Number.POSITIVE_INFINITY, 0.5] }],
    [
      "a list that says that it is endless",
      { inverseFrequencies: Object.defineProperty({}, "length", { value: 1e12 }) },
    ],
    ["a head of 2^31 numbers", { config: { ...llama, head_dim: terabyte } }],
  ])("answers or refuses %s", (_, subject) => {
    const before = ropewalk.stats();
    let found: RopeReport | undefined;
    try {
      found = checkRope(subject as never, {});
    } catch (error) {
      expect((error as Error).message).toMatch(/^checkRope: /);
    }
    if (found) expect(found.code + found.refusals.length).toBeGreaterThan(0);
    expectSameMemory(ropewalk.stats(), before);
    expect(checkRope({ config: llama }, {})).toEqual(report);
  });
});

describe("arguments whose getters dispose of the model are noticed by", () => {
  it.each<[fn: string, call: (model: Decoder) => Promise<unknown>]>([
    [
      "generate",
      (model) =>
        model
          .generate([1, 8], {
            get maxTokens() {
              model.dispose();
              return 2;
            },
          })
          .text(),
    ],
    [
      "choose",
      (model) => {
        const prompt = {
          length: 1,
          get 0() {
            model.dispose();
            return 1;
          },
        };
        return model.choose(prompt, ["w1", "w2"]);
      },
    ],
  ])("%s", async (fn, call) => {
    const before = ropewalk.stats();
    const model = await ropewalk.decoder(decoderFiles());
    await expect(call(model)).rejects.toMatchObject({ code: "disposed", function: fn });
    expectSameMemory(ropewalk.stats(), before);
  });
});

describe("objects of two loads", () => {
  it("do not meet in a decoder", async () => {
    const strange = await other.decoder(decoderFiles());
    const chunk = strange.chunk([8, 9]);
    const cache = decoder.cache();
    cache.feed([1, 8]);
    expect(() => cache.append(chunk)).toThrow(/^append: `chunk`/);
    expect(Array.from(cache.tokens())).toEqual([1, 8]);
    for (const made of [cache, chunk, strange]) made.dispose();
    expect(other.stats().handles).toBe(0);
  });

  it("do not meet in a generation", async () => {
    using strange = await other.decoder(decoderFiles());
    using cache = strange.cache();
    cache.feed([1, 8]);
    await expect(decoder.generate([9], { cache, maxTokens: 2 }).text()).rejects.toThrow(/^generate: `cache`/);
    expect(Array.from(cache.tokens())).toEqual([1, 8]);
  });

  it("give each other the bytes of a cache of the same model", async () => {
    using strange = await other.decoder(decoderFiles());
    using cache = strange.cache();
    const logits = cache.feed([1, 8, 9]);
    using restored = decoder.restore(cache.save());
    using fed = decoder.cache();
    fed.feed([1, 8, 9]);
    expect(restored.feed([4])).toEqual(fed.feed([4]));
    expect(logits).toEqual(expected.logits);
  });

  it("do not meet in a rotation", () => {
    const [rope, x] = [ropewalk.rope({ headDim: 8 }), other.tensor([16], new Float32Array(16).fill(1))];
    expect(() => rope.rotate(x, { sequence: 2, heads: 1 })).toThrow(/^rotate: `x`/);
    expect(x.data).toEqual(new Float32Array(16).fill(1));
    for (const made of [rope, x]) made.dispose();
  });
});

/** Files whose k-th request or part of a body aborts the signal. `left` says how many came after it. */
function abortingAt(k: number, files: [string, FileSource][], abort: AbortController) {
  let step = 0;
  const next = () => {
    if (step++ === k) abort.abort(new Error("enough"));
  };
  const found = new Map(files);
  const open = (name: string): Response | undefined => {
    next();
    const source = found.get(name);
    if (source === undefined) return undefined;
    const bytes = source instanceof Uint8Array ? source : new TextEncoder().encode(JSON.stringify(source));
    let at = 0;
    const part = Math.ceil(bytes.length / 4);
    const body = new ReadableStream<Uint8Array>({
      pull(stream) {
        next();
        if (at >= bytes.length) return stream.close();
        stream.enqueue(bytes.slice(at, at + part));
        at += part;
      },
    });
    return new Response(body);
  };
  return { open, steps: () => step };
}

describe("a signal that aborts at any step of loading", () => {
  it.each<
    [
      string,
      [string, FileSource][],
      (open: (name: string) => unknown, signal: AbortSignal) => Promise<Encoder | Decoder>,
    ]
  >([
    ["an encoder", [...encoderFiles()], (open, signal) => ropewalk.encoder(open as never, { signal })],
    ["a decoder", Object.entries(decoderFiles()), (open, signal) => ropewalk.decoder(open as never, { signal })],
    [
      "a decoder with a screen",
      Object.entries(decoderFiles()),
      (open, signal) => ropewalk.decoder(open as never, { signal, precision: "int8", screen: true }),
    ],
  ])("leaves nothing of %s", async (_, files, make) => {
    const before = ropewalk.stats();
    let steps = Number.POSITIVE_INFINITY;
    let stopped = 0;
    for (let k = 0; k < steps; k++) {
      const abort = new AbortController();
      const source = abortingAt(k, files, abort);
      const made = await make(source.open, abort.signal).catch((error: Error) => error);
      if (made instanceof Error) {
        expect(made.message).toBe("enough");
        stopped++;
      } else {
        // All was there when the signal came, or it never came.
        made.dispose();
        steps = Math.min(steps, source.steps());
      }
      expectSameMemory(ropewalk.stats(), before);
    }
    expect(stopped).toBeGreaterThan(8);
  });
});

describe("a signal that aborts at any step of a call", () => {
  const reason = new Error("enough");
  /** Work that looks at the clock after each step finds that it has worked for long, and lets others run. */
  function abortingAt(k: number, abort: AbortController): () => number {
    let step = 0;
    vi.spyOn(performance, "now").mockImplementation(() => {
      if (step++ === k) abort.abort(reason);
      return step * 100;
    });
    return () => step;
  }
  const documents = ["the rope", "a ship is on the sea", "the sailor ties a knot", "who has it ?"];

  it.each<[what: string, call: (signal: AbortSignal) => Promise<unknown>]>([
    ["embed", (signal) => encoder.embed(documents, { signal })],
    ["generate", (signal) => decoder.generate([1, 8], { maxTokens: 6, signal }).text()],
  ])("leaves nothing of %s", async (_, call) => {
    const whole = await call(new AbortController().signal);
    const before = ropewalk.stats();
    let steps = Number.POSITIVE_INFINITY;
    let stopped = 0;
    for (let k = 0; k < steps; k++) {
      const abort = new AbortController();
      const told = abortingAt(k, abort);
      const found = await call(abort.signal).catch((error: Error) => error);
      steps = Math.min(steps, told());
      vi.restoreAllMocks();
      if (found === reason) stopped++;
      else expect(found).toEqual(whole);
      expectSameMemory(ropewalk.stats(), before);
    }
    expect(stopped).toBeGreaterThan(2);
  });

  it("leaves what generate has given before", async () => {
    const tokens: number[] = [];
    for await (const { id } of decoder.generate([1, 8], { maxTokens: 6 })) tokens.push(id);
    const before = ropewalk.stats();
    for (let k = 0; k < tokens.length; k++) {
      const abort = new AbortController();
      const got: number[] = [];
      const reading = (async () => {
        for await (const { id } of decoder.generate([1, 8], { maxTokens: 6, signal: abort.signal })) {
          got.push(id);
          if (got.length > k) abort.abort(reason);
        }
      })();
      if (k + 1 < tokens.length) await expect(reading).rejects.toBe(reason);
      else await reading.catch((error: Error) => expect(error).toBe(reason));
      expect(got).toEqual(tokens.slice(0, k + 1));
      expectSameMemory(ropewalk.stats(), before);
    }
  });
});

it.skipIf(isNative)("memory that runs out is an Error in every call for models", async () => {
  const fresh = await load();
  const first = { encoder: await fresh.encoder(encoderFiles()), decoder: await fresh.decoder(decoderFiles()) };
  const calls: [string, () => unknown][] = [
    ["encoder", () => fresh.encoder(encoderFiles())],
    ["decoder", () => fresh.decoder(decoderFiles())],
    ["cache", () => first.decoder.cache()],
    ["chunk", () => first.decoder.chunk([8, 9])],
    ["forward", () => first.encoder.forward({ inputIds: new Int32Array(60 * 40).fill(8), batch: 60, sequence: 40 })],
    ["embed", () => first.encoder.embed("the rope")],
    ["generate", () => first.decoder.generate([1, 8], { maxTokens: 2 }).text()],
  ];
  // Memory that they keep for the next pass is no leak.
  for (const [, call] of calls.slice(4)) await call();
  const before = fresh.stats();
  const grow = vi.spyOn(WebAssembly.Memory.prototype, "grow").mockImplementation(() => {
    throw new RangeError("no more memory");
  });
  const held: Disposable[] = [];
  const isNoMemory = (name: string, error: Error & Partial<ErrorDetails>) => {
    expect(error.message, name).toMatch(/memory/);
    expect(error.code, name).toBe("out-of-memory");
  };
  try {
    for (const [name, make] of calls.slice(0, 2) as [string, () => Promise<Disposable>][]) {
      for (let full = false; !full; ) {
        await make().then(
          (made) => held.push(made),
          (error: Error) => {
            isNoMemory(name, error);
            full = true;
          },
        );
      }
    }
    for (const [name, call] of calls) {
      const result = await (async () => call())().catch((error: Error) => error);
      if (result instanceof Error) isNoMemory(name, result);
      else (result as Partial<Disposable>)?.[Symbol.dispose]?.();
    }
  } finally {
    grow.mockRestore();
    for (const each of held) each[Symbol.dispose]();
  }
  expect(first.encoder.forward(input).lastHiddenState).toEqual(expected.hidden);
  expectSameMemory(fresh.stats(), before);
  first.encoder.dispose();
  first.decoder.dispose();
});

it("bytes that were given are left as they were", async () => {
  const names = ["gguf/llama-q8_0.gguf", "gguf/hostile/good.gguf"];
  for (const name of names) {
    const bytes = goldenBytes(name);
    const copy = bytes.slice();
    await ropewalk.decoder({ "model.gguf": bytes }).then(
      (made) => made.dispose(),
      () => {},
    );
    expect(bytes).toEqual(copy);
  }
});
