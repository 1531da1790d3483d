import { type EncoderInput, type FileSource, load, type ModelFiles } from "ropewalk";
import { afterAll, describe, expect, it } from "vitest";
import { goldenModel, goldenUrl, readGolden } from "./golden.js";
import { expectSameMemory } from "./memory.js";
import { differenceOf } from "./near.js";

const ropewalk = await load();

interface Case {
  shape: [number, number];
  input_ids: number[];
  token_type_ids: number[];
  attention_mask: number[];
  last_hidden_state: number[];
  first_hidden_state: number[];
  attention_layer0: number[];
  logits: number[];
}

const inputOf = (one: Case): EncoderInput => ({
  inputIds: one.input_ids,
  batch: one.shape[0],
  sequence: one.shape[1],
  tokenTypeIds: one.token_type_ids,
  attentionMask: one.attention_mask,
});

describe.each(["base", "rotary-value"])("golden RoFormer: %s", async (name) => {
  const model = await ropewalk.encoder(goldenModel(`roformer/${name}`));
  afterAll(() => model.dispose());
  const { cases } = readGolden<{ cases: Case[] }>(`roformer/${name}/expected.json`);

  it.each(cases)("shape $shape", (one) => {
    const [batch, sequence] = one.shape;
    const output = model.forward(inputOf(one), { hiddenStates: true, attentions: true, rotatedQK: true });
    const rows = (width: number) => (i: number) => Math.floor(i / width);
    const {
      hidden_size: hidden,
      num_attention_heads: heads,
      num_hidden_layers: layers,
      vocab_size: words,
    } = model.config as Record<string, number>;
    /** The largest difference among tokens that are no padding; `rowOf` says which token an element belongs to. */
    const error = (actual: Float32Array, expected: readonly number[], rowOf: (i: number) => number) =>
      differenceOf(actual, expected, (i) => one.attention_mask[rowOf(i)] === 1).absolute;
    expect(error(output.lastHiddenState, one.last_hidden_state, rows(hidden!))).toBeLessThan(2e-5);
    expect(error(output.logits!, one.logits, rows(words!))).toBeLessThan(5e-5);
    expect(output.hiddenStates!.length).toBe(layers! + 1);
    expect(error(output.hiddenStates![0]!, one.first_hidden_state, rows(hidden!))).toBeLessThan(2e-5);
    expect(output.hiddenStates!.at(-1)).toEqual(output.lastHiddenState);
    expect(output.attentions!.length).toBe(layers);
    const query = (i: number) =>
      Math.floor(i / (heads! * sequence * sequence)) * sequence + (Math.floor(i / sequence) % sequence);
    expect(error(output.attentions![0]!, one.attention_layer0, query)).toBeLessThan(1e-6);
    expect(output.rotatedQueries!.map((each) => each.length)).toEqual(
      new Array(layers).fill(batch * sequence * hidden!),
    );
    expect(output.rotatedKeys!.length).toBe(layers);
    expect(output.classLogits).toBeUndefined();
  });

  it("gives only what is wanted, and the same each time", () => {
    const input = inputOf(cases[1]!);
    const once = model.forward(input);
    expect(Object.keys(once).sort()).toEqual(["lastHiddenState", "logits"]);
    const again = model.forward(input, { logits: false });
    expect(Object.keys(again)).toEqual(["lastHiddenState"]);
    expect(again.lastHiddenState).toEqual(once.lastHiddenState);
  });
});

describe("sources of weights", () => {
  const { "config.json": config, "model.safetensors": bytes } = goldenModel("roformer/base");
  const weights: [string, () => FileSource][] = [
    ["an ArrayBuffer", () => bytes.slice().buffer],
    ["a view", () => Buffer.from(bytes)],
    ["a Blob", () => new Blob([bytes])],
    ["a Response", () => new Response(bytes)],
    [
      "a Response that says its size",
      () => new Response(bytes, { headers: { "content-length": String(bytes.length) } }),
    ],
    ["a Response that lies about it", () => new Response(bytes, { headers: { "content-length": "10" } })],
    ["a file URL", () => goldenUrl("roformer/base/model.safetensors")],
    ["a path", () => "tests/golden/roformer/base/model.safetensors"],
    ["a data URL", () => `data:application/octet-stream;base64,${Buffer.from(bytes).toString("base64")}`],
  ];

  it.each(weights)("%s", async (_, source) => {
    const before = ropewalk.stats();
    const steps: [number, number | undefined][] = [];
    const options = { onProgress: (loaded: number, total?: number) => steps.push([loaded, total]) };
    {
      using model = await ropewalk.encoder({ "config.json": config, "model.safetensors": source() }, options);
      expect(model.parameterCount).toBeGreaterThan(10_000);
      expect(model.config).toEqual(config);
      expect(model.notes).toEqual([]);
    }
    expect(steps.at(-1)![0]).toBe(bytes.length);
    expectSameMemory(ropewalk.stats(), before);
  });

  it("can be aborted, before and on the way", async () => {
    const before = ropewalk.stats();
    const stop = new Error("not wanted any more");
    await expect(ropewalk.encoder(goldenModel("roformer/base"), { signal: AbortSignal.abort(stop) })).rejects.toBe(
      stop,
    );
    const controller = new AbortController();
    // A header of 2^22 bytes that never ends.
    const piece = new Uint8Array(1000).fill(32);
    const stream = new ReadableStream<Uint8Array>({
      start: (sink) => sink.enqueue(Uint8Array.of(0, 0, 64, 0, 0, 0, 0, 0)),
      pull: (sink) => sink.enqueue(piece),
    });
    const loading = ropewalk.encoder(
      { "config.json": config, "model.safetensors": new Response(stream) },
      { signal: controller.signal, onProgress: (loaded) => loaded > 5000 && controller.abort(stop) },
    );
    await expect(loading).rejects.toBe(stop);
    expectSameMemory(ropewalk.stats(), before);
  });
});

describe("errors", async () => {
  const { "config.json": config, "model.safetensors": weights } = goldenModel("roformer/base");
  const files = (config: unknown, weights: unknown, more: object = {}) =>
    ({ "config.json": config, "model.safetensors": weights, ...more }) as ModelFiles;
  const words = (text: string) => ({ "vocab.txt": new Blob([text]) });
  const refused: [string, ModelFiles, ErrorConstructor, ...string[]][] = [
    ["no files", undefined as never, TypeError, "encoder", "`files`", "undefined"],
    ["no config", files(undefined, weights), RangeError, "encoder", "`files`", "config.json"],
    [
      "config with NaN",
      files({ ...config, layer_norm_eps: Number.NaN }, weights),
      RangeError,
      "`layer_norm_eps`",
      "NaN",
    ],
    [
      "heads that do not divide",
      files({ ...config, num_attention_heads: 5 }, weights),
      RangeError,
      "num_attention_heads",
      "5",
    ],
    ["another vocabulary", files({ ...config, vocab_size: 98 }, weights), RangeError, "word_embeddings.weight", "98"],
    ["no weights", files(config, undefined), RangeError, "`files`", "model.safetensors"],
    ["empty weights", files(config, new Uint8Array()), RangeError, "safetensors"],
    ["cut weights", files(config, weights.subarray(0, weights.length - 4)), RangeError, "safetensors"],
    ["missing file", files(config, goldenUrl("missing.safetensors")), Error, "missing.safetensors"],
    ["refused by the server", files(config, new Response("", { status: 403 })), Error, "403"],
    ["bad tokenizer", files(config, weights, { "tokenizer.json": { model: {} } }), TypeError, "`tokenizer.json`"],
    [
      "half a tokenizer.json",
      files(config, weights, { "tokenizer.json": new Blob(['{"model": ']) }),
      TypeError,
      "`tokenizer.json`",
      "not JSON",
    ],
    ["vocabulary without special tokens", files(config, weights, words("a\nb\n")), TypeError, "`vocab.txt`", "[MASK]"],
  ];

  it.each(refused)("%s", async (_, source, type, ...words) => {
    const before = ropewalk.stats();
    const error = await ropewalk.encoder(source).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(type);
    for (const word of words) expect((error as Error).message).toContain(word);
    expectSameMemory(ropewalk.stats(), before);
  });

  const model = await ropewalk.encoder({ "config.json": config, "model.safetensors": weights });
  const forward: [string, unknown, ErrorConstructor, ...string[]][] = [
    ["no input", undefined, TypeError, "forward", "`input`"],
    ["no ids", { sequence: 1 }, TypeError, "forward", "`inputIds`", "undefined"],
    ["no sequence", { inputIds: [1] }, TypeError, "forward", "`sequence`", "undefined"],
    ["an id beyond the vocabulary", { inputIds: [1, 97], sequence: 2 }, RangeError, "forward", "inputIds", "97"],
    ["a negative id", { inputIds: [-1], sequence: 1 }, RangeError, "forward", "inputIds", "-1"],
    ["a fraction", { inputIds: [1.5], sequence: 1 }, RangeError, "forward", "`inputIds[0]`", "1.5", "a whole number"],
    ["lengths that do not agree", { inputIds: [1, 2], sequence: 3 }, RangeError, "forward", "inputIds", "2"],
    [
      "types of another length",
      { inputIds: [1, 2], sequence: 2, tokenTypeIds: [0] },
      RangeError,
      "forward",
      "tokenTypeIds",
    ],
    ["a type beyond", { inputIds: [1], sequence: 1, tokenTypeIds: [2] }, RangeError, "forward", "tokenTypeIds", "2"],
    ["a mask of 2", { inputIds: [1], sequence: 1, attentionMask: [2] }, RangeError, "forward", "attentionMask", "2"],
  ];

  it.each(forward)("%s", (_, input, type, ...words) => {
    const call = () => model.forward(input as EncoderInput);
    expect(call).toThrow(type);
    for (const word of words) expect(call).toThrow(word);
    expect(model.forward({ inputIds: [1, 2], sequence: 2 }).logits!.length).toBe(2 * 97);
  });

  it("words need a tokenizer, classes a head; a disposed model says so", async () => {
    expect(() => model.encode("a")).toThrow("encode: this model was loaded without a tokenizer");
    const other = await ropewalk.encoder({ "config.json": config, "model.safetensors": weights });
    other.dispose();
    expect(() => other.forward({ inputIds: [1], sequence: 1 })).toThrow("forward: this Encoder has been disposed");
    expect(() => other.encode("a")).toThrow("encode: this Encoder has been disposed");
  });
});

describe("precision", () => {
  it("int8 answers nearly as float32 does", async () => {
    using exact = await ropewalk.encoder(goldenModel("roformer/base"));
    using near = await ropewalk.encoder(goldenModel("roformer/base"), { precision: "int8" });
    expect(near.parameterCount).toBe(exact.parameterCount);
    const { cases } = readGolden<{ cases: Case[] }>("roformer/base/expected.json");
    for (const one of cases) {
      const [a, b] = [exact.forward(inputOf(one)), near.forward(inputOf(one))];
      let [error, size] = [0, 0];
      a.lastHiddenState.forEach((value, i) => {
        error += (value - b.lastHiddenState[i]!) ** 2;
        size += value ** 2;
      });
      expect(error).toBeGreaterThan(0);
      expect(Math.sqrt(error / size)).toBeLessThan(0.05);
    }
  });

  it("refuses another", async () => {
    await expect(ropewalk.encoder(goldenModel("roformer/base"), { precision: "int4" as "int8" })).rejects.toThrow(
      'encoder: `precision` is "int4"; allowed: "float32" or "int8"',
    );
  });
});

describe("outputs", () => {
  it("come under the names that EncoderOutput declares", async () => {
    using model = await ropewalk.encoder(goldenModel("roformer/base"));
    const wants = { logits: true, hiddenStates: true, attentions: true, scores: true, rotatedQK: true };
    const output = model.forward({ inputIds: [1, 2, 3], sequence: 3 }, wants);
    expect(Object.keys(output).sort()).toEqual(
      ["attentions", "hiddenStates", "lastHiddenState", "logits", "rotatedKeys", "rotatedQueries", "scores"].sort(),
    );
    const layers = (model.config as { num_hidden_layers: number }).num_hidden_layers;
    expect(output.hiddenStates).toHaveLength(layers + 1);
    for (const each of [output.attentions, output.scores, output.rotatedQueries, output.rotatedKeys])
      expect(each).toHaveLength(layers);
  });
});
