/** GGUF files of each architecture in the package: tokens as llama.cpp has them, logits and vectors as Transformers. */
import { readFileSync } from "node:fs";
import { load } from "ropewalk";
import { describe, expect, it } from "vitest";
import { expectFromWorkers } from "./backend.js";
import { goldenBytes, goldenPath, readGolden } from "./golden.js";
import { expectNear } from "./near.js";

interface Reference {
  ids: number[];
  logits: number[];
  tokens: { text: string; ids: number[] }[];
}

const ropewalk = await load();
const decoders = ["qwen3-q8_0", "smollm3-bf16", "phi3-longrope-q8_0", "gemma2-q8_0", "gemma3-q4_0", "granite-q8_0"];

describe.each(decoders)("%s", (name) => {
  const reference = readGolden<Reference>(`gguf-2/${name}.json`);
  const open = () => ropewalk.decoder(goldenPath(`gguf-2/${name}.gguf`));

  it("splits texts into the tokens of llama.cpp", async () => {
    using model = await open();
    expect(reference.tokens.length).toBeGreaterThan(3);
    for (const { text, ids } of reference.tokens)
      expect(model.encode(text, { addSpecialTokens: false }), text).toEqual(ids);
  });

  it("gives the reference's logits, also token by token", async () => {
    using model = await open();
    const near = { absolute: 2e-5 * Math.max(...reference.logits.map(Math.abs)) };
    const size = reference.logits.length / reference.ids.length;
    expectNear(model.cache().feed(reference.ids, { all: true }), reference.logits, near);
    // Phi 3 has other frequencies for texts of up to 16 tokens, which layers behind the first would remember.
    const cache = model.cache();
    let last = cache.feed(reference.ids.slice(0, 20));
    for (const id of reference.ids.slice(20)) last = cache.feed([id]);
    expectNear(last, reference.logits.slice(-size), near);
  });
});

interface EncoderReference {
  ids: number[];
  last_hidden_state: number[];
  sentence_embedding: number[];
  tokens: { text: string; ids: number[] }[];
}

describe.each(["bert-q8_0", "modern-bert-q8_0"])("%s", (name) => {
  const reference = readGolden<EncoderReference>(`gguf-2/${name}.json`);
  const path = goldenPath(`gguf-2/${name}.gguf`);

  it("splits texts into the tokens of llama.cpp, with special tokens where the file says so", async () => {
    using model = await ropewalk.encoder(path);
    expect(reference.tokens.length).toBeGreaterThan(3);
    for (const { text, ids } of reference.tokens)
      expect(model.encode(text).inputIds, text).toEqual(name === "bert-q8_0" ? [2, ...ids, 3] : ids);
    expect(model.notes).toEqual([]);
    expect(model.modelType).toBe(name.startsWith("bert") ? "bert" : "modernbert");
    expect(model.maxTokens).toBe(model.config.max_position_embeddings);
  });

  it("gives the reference's vectors, also in workers and from bytes", async () => {
    using model = await ropewalk.encoder(path);
    const outputs = { hiddenStates: true, pooled: true } as const;
    const output = model.forward({ inputIds: reference.ids, batch: 1, sequence: reference.ids.length }, outputs);
    expectNear(output.lastHiddenState, reference.last_hidden_state, { absolute: 1e-5 });
    expectNear(output.sentenceEmbedding, reference.sentence_embedding, { absolute: 1e-5 });
    const text = "the cat and dog ran on it";
    const vector = await model.embed(text);
    using parallel = await ropewalk.encoder({ "any.gguf": readFileSync(path) }, { workers: 2 });
    expect(parallel.encode(text)).toEqual(model.encode(text));
    expectFromWorkers(ropewalk, await parallel.embed(text), vector);
    expect([parallel.dimensions, parallel.maxTokens]).toEqual([model.dimensions, model.maxTokens]);
  });

  it("is as small as it says, whatever it is read from", async () => {
    const bytes = readFileSync(path);
    const size = await ropewalk.modelSize(path, { precision: "int8" });
    using model = await ropewalk.encoder(path);
    expect(size.parameters).toBe(model.parameterCount);
    expect(size.download).toBe(bytes.length);
    const { parameters, download } = await ropewalk.modelSize({ "a.gguf": new Response(bytes) });
    expect([parameters, download]).toEqual([size.parameters, size.download]);
    const argument = ropewalk.backend === "wasm" ? "general.architecture" : "model_type";
    await expect(ropewalk.decoder(path)).rejects.toMatchObject({ argument });
  });
});

it("a decoder's file has its size as well, and is no encoder", async () => {
  const path = goldenPath("gguf-2/qwen3-q8_0.gguf");
  using model = await ropewalk.decoder(path);
  const { parameters } = await ropewalk.modelSize({ "a.gguf": new Response(goldenBytes("gguf-2/qwen3-q8_0.gguf")) });
  expect(parameters).toBe(model.parameterCount);
  await expect(ropewalk.encoder(path)).rejects.toThrow(/general\.architecture.*qwen3.*allowed.*bert/);
});
