/** Golden encoders, of both folders, through `encoder()`, within the tolerances of tests/golden/encoders/README.md. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { type Encoder, type EncoderOutput, type EncoderOutputs, load, type Pooling } from "ropewalk";
import { afterAll, describe, expect, it } from "vitest";
import { goldenPath, readGolden } from "./golden.js";
import { filesOf, goldenFolder } from "./model-folder.js";
import { differenceOf } from "./near.js";

const ropewalk = await load();
const folders = ["encoders", "encoders-3"];
/** The name of a case, within tests/golden. */
const pathOf = (name: string) => `${folders.find((folder) => existsSync(goldenPath(`${folder}/${name}`)))}/${name}`;

interface Case {
  shape: [batch: number, tokens: number];
  input_ids: number[];
  attention_mask: number[];
  token_type_ids?: number[];
  sequence_ids?: number[];
  attention_layer?: number;
  [result: string]: unknown;
}

const POOLINGS: Pooling[] = ["cls", "mean", "max", "mean_sqrt_len", "weightedmean", "last"];

function inputOf({ shape: [batch, sequence], input_ids, attention_mask, token_type_ids, sequence_ids }: Case) {
  const types = token_type_ids === undefined ? {} : { tokenTypeIds: token_type_ids };
  return { inputIds: input_ids, attentionMask: attention_mask, batch, sequence, sequenceIds: sequence_ids, ...types };
}

/** Logits of any head: of words, of tokens or of the whole text. */
const logitsOf = ({ logits, tokenLogits, classLogits }: EncoderOutput) => logits ?? tokenLogits ?? classLogits;

function check(model: Encoder, one: Case): number {
  const [batch, sequence] = one.shape;
  const mask = one.attention_mask;
  const outputs: EncoderOutputs = { hiddenStates: true, attentions: true, contacts: true, pooled: true };
  const output = model.forward(inputOf(one), outputs);
  const every = () => true;
  const token = (width: number) => (i: number) => mask[Math.floor(i / width)] === 1;
  let results = 0;
  const expectNear = (
    name: string,
    actual: Float32Array | undefined,
    limit: number,
    counts: (size: number) => (i: number) => boolean = () => every,
  ) => {
    const expected = one[name] as number[] | undefined;
    if (expected === undefined) return;
    results++;
    expect(differenceOf(actual, expected, counts(expected.length)).relative, name).toBeLessThan(limit);
  };
  const perToken = (size: number) => token(size / (batch * sequence));
  expectNear("first_hidden_state", output.hiddenStates?.[0], 2e-6, perToken);
  expectNear("last_hidden_state", output.lastHiddenState, 1e-5, perToken);
  // Queries are rows: [B, H, T, T].
  expectNear("attention", output.attentions?.[one.attention_layer ?? 0], 1e-5, (size) => {
    const perText = size / batch;
    return (i) => mask[Math.floor(i / perText) * sequence + (Math.floor(i / sequence) % sequence)] === 1;
  });
  const isPerToken = output.classLogits === undefined;
  expectNear("logits", logitsOf(output), 1e-5, isPerToken ? perToken : undefined);
  if (output.relevance !== undefined) expectNear("scores", output.relevance, 5e-6);
  expectNear("pooled", output.pooled, 5e-6);
  expectNear("sentence_embedding", output.sentenceEmbedding, 5e-6);
  if (one.truncated !== undefined) {
    const width = (one.truncated as number[]).length / batch;
    const cut = Array.from({ length: batch }, (_, b) =>
      output.sentenceEmbedding!.subarray(b * model.dimensions, b * model.dimensions + width),
    );
    expectNear("truncated", Float32Array.from(cut.flatMap((row) => [...row])), 5e-6);
  }
  const pooledBy = (more: EncoderOutputs) =>
    model.forward(inputOf(one), { ...more, logits: false, pooled: true }).pooled;
  for (const pooling of POOLINGS) {
    if (one[`pooled_${pooling}`] !== undefined) expectNear(`pooled_${pooling}`, pooledBy({ pooling }), 5e-6);
  }
  if (one.pooled_mean_without_prompt !== undefined)
    expectNear("pooled_mean_without_prompt", pooledBy({ pooling: "mean", promptTokens: 3 }), 5e-6);
  if (output.contacts !== undefined || one.contacts !== undefined) {
    const width = sequence - 2;
    const present = (b: number, at: number) =>
      mask[b * sequence + at + 1] === 1 && one.input_ids[b * sequence + at + 1] !== 2;
    expectNear("contacts", output.contacts, 5e-6, () => (i) => {
      const b = Math.floor(i / (width * width));
      return present(b, Math.floor(i / width) % width) && present(b, i % width);
    });
  }
  return results;
}

const known = new Set(ropewalk.families().map(({ modelType }) => modelType));
const names = folders.flatMap((folder) => readdirSync(goldenPath(`${folder}/`)));
const cases = names.filter((name) => {
  if (!existsSync(`${goldenFolder(name)}/config.json`)) return false;
  return known.has(readGolden<{ model_type: string }>(`${pathOf(name)}/config.json`).model_type);
});

it("covers all families of encoders that are known", () => {
  const covered = new Set(
    cases.map((name) => readGolden<{ model_type: string }>(`${pathOf(name)}/config.json`).model_type),
  );
  const encoders = ropewalk.families().filter(({ kind }) => kind === "encoder");
  // RoFormer has golden files of its own, Llama and Qwen 2 are in causal-encoders.test.ts; "gte" is another name for
  // "new", and "camembert" for "roberta".
  const elsewhere = ["roformer", "gte", "camembert", "llama", "qwen2"];
  for (const { modelType } of encoders) if (!elsewhere.includes(modelType)) expect(covered).toContain(modelType);
  const bert = encoders.find(({ modelType }) => modelType === "bert");
  const heads = ["masked_lm", "sequence_classification", "token_classification", "span", "choice"];
  expect(bert).toEqual({ modelType: "bert", kind: "encoder", trainable: true, heads, gguf: ["bert", "jina-bert-v2"] });
  expect(encoders.length).toBeGreaterThan(4);
});

describe.each(cases)("%s", async (name) => {
  const model = await ropewalk.encoder(goldenFolder(name));
  afterAll(() => model.dispose());
  const expected = readGolden<{ cases: Case[] }>(`${pathOf(name)}/expected.json`);

  it.each(expected.cases)("shape $shape", (one) => {
    expect(check(model, one)).toBeGreaterThanOrEqual(1);
  });

  it("says what it is", () => {
    const config = readGolden<Record<string, unknown>>(`${pathOf(name)}/config.json`);
    expect(model.config).toEqual(config);
    expect(model.modelType).toBe(config.model_type);
    expect(model.parameterCount).toBeGreaterThan(1000);
    const embedding = (expected.cases[0]!.sentence_embedding ?? []) as number[];
    if (embedding.length > 0) expect(model.dimensions).toBe(embedding.length);
    const prompts = `${goldenFolder(name)}/config_sentence_transformers.json`;
    expect(model.prompts).toEqual(
      existsSync(prompts) ? (JSON.parse(readFileSync(prompts, "utf8")) as { prompts: object }).prompts : {},
    );
    const layers = model.ropes.flatMap((rope) => rope.layers);
    expect(new Set(layers).size).toBe(layers.length);
    for (const { explain } of model.ropes) expect(explain).toMatch(/channels of each head rotate/);
  });
});

interface Refusals {
  refusals: { case: string; change: Record<string, unknown>; names: string }[];
  limits: { case: string; works: number; fails: number }[];
}

describe("refusals", () => {
  const { refusals, limits } = readGolden<Refusals>("encoders/refusals.json");

  it.each(refusals)("$case with $change names $names", async (one) => {
    const config = { ...readGolden<object>(`encoders/${one.case}/config.json`), ...one.change };
    await expect(ropewalk.encoder(filesOf(one.case, { "config.json": config }))).rejects.toThrow(one.names);
  });

  it.each(limits)("$case takes $works tokens, and not $fails", async ({ case: name, works, fails }) => {
    using model = await ropewalk.encoder(goldenFolder(name));
    const forward = (sequence: number) => model.forward({ inputIds: new Array(sequence).fill(7), sequence });
    expect(model.maxTokens).toBe(works);
    expect(forward(works).lastHiddenState).toHaveLength(works * model.dimensions);
    expect(() => forward(fails)).toThrow(RangeError);
  });
});
