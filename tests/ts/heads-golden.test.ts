/** Late interaction, sparse vectors and static embeddings beside the reference values of tests/golden/encoders-2. */
import { type EncoderOutputs, type FileSource, load } from "ropewalk";
import { describe, expect, it } from "vitest";
import { expectFromWorkers } from "./backend.js";
import { readGolden } from "./golden.js";
import { bytePairs, filesOf, goldenFolder, vocabulary } from "./model-folder.js";
import { expectNear } from "./near.js";

const ropewalk = await load();

interface Case {
  shape: [batch: number, tokens: number];
  input_ids: number[];
  attention_mask: number[];
  [result: string]: unknown;
}

const casesOf = (name: string) => readGolden<{ cases: Case[] }>(`encoders-2/${name}/expected.json`).cases;
const inputOf = ({ shape: [batch, sequence], input_ids, attention_mask }: Case) => ({
  inputIds: input_ids,
  attentionMask: attention_mask,
  batch,
  sequence,
});

describe.each([
  ["modernbert-colbert", "tokens", "tokenVectors", "token_vectors", 5e-6],
  ["bert-splade", "sparse", "sparse", "sparse", 2e-5],
] as const)("%s", async (name, kind, output, expected, limit) => {
  it.each(casesOf(name))("gives its reference in shape $shape, in workers too", async (one) => {
    using model = await ropewalk.encoder(goldenFolder(name));
    using parallel = await ropewalk.encoder(goldenFolder(name), { workers: 2 });
    const outputs: EncoderOutputs = { [kind]: true };
    const found = model.forward(inputOf(one), outputs);
    expectNear(found[output], one[expected] as number[], { relative: limit });
    const there = await parallel.forward(inputOf(one), outputs);
    expectFromWorkers(ropewalk, there[output], found[output]);
    const alone = model.forward(inputOf(one), { ...outputs, logits: false });
    expect(alone.logits).toBeUndefined();
    expect(alone[output]).toEqual(found[output]);
  });

  it("gives that, and no vectors", async () => {
    using model = await ropewalk.encoder(goldenFolder(name));
    expect(model.gives).toEqual(kind === "sparse" ? ["sparse", "words"] : ["tokens"]);
    expect(model.dimensions).toBe(kind === "sparse" ? 53 : 12);
    expect(model.notes.filter((note) => !note.endsWith("of config.json is not read"))).toEqual([]);
    expect(model.maxTokens).toBe(64);
    await expect(model.embed("a")).rejects.toThrow(
      `embed: it needs a model that gives "vectors"; this one gives "${kind}"`,
    );
    const [other, method] =
      kind === "sparse" ? (["tokens", "embedTokens"] as const) : (["sparse", "embedSparse"] as const);
    await expect(model[method]("a")).rejects.toThrow(`${method}: it needs a model that gives "${other}"`);
    expect(() => model.forward({ inputIds: [1], sequence: 1 }, { [other]: true })).toThrow(`gives "${other}"`);
    await expect(model.classifyInto("a", ["b"])).rejects.toThrow('classifyInto: it needs a model that gives "classes"');
  });
});

interface Static {
  texts: string[];
  sentence_embedding: number[][];
}

/** The bits of a number as IEEE binary16, rounded; for numbers from 2^-14 to 2^15. */
function half(value: number): number {
  const exponent = Math.max(-14, Math.floor(Math.log2(Math.abs(value))));
  const scaled = Math.round((Math.abs(value) / 2 ** exponent) * 1024);
  return (value < 0 ? 0x8000 : 0) + (scaled < 1024 ? scaled : (exponent + 14) * 1024 + scaled);
}

/** The same table with numbers of 16 bits. */
function halved(name: string, tensor: string): Uint8Array<ArrayBuffer> {
  const bytes = filesOf(name).get("model.safetensors") as Uint8Array<ArrayBuffer>;
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  const numbers = Uint16Array.from(new Float32Array(bytes.slice(8 + length).buffer), half);
  const header = JSON.stringify({ [tensor]: { dtype: "F16", shape: [25, 12], data_offsets: [0, 600] } });
  const file = new Uint8Array(8 + header.length + 600);
  file[0] = header.length;
  file.set(new TextEncoder().encode(header), 8);
  file.set(new Uint8Array(numbers.buffer), 8 + header.length);
  return file;
}

describe.each([
  ["static-model2vec", "embeddings", "model2vec"],
  ["static-sentence-transformers", "embedding.weight", "static-embedding"],
])("%s", (name, tensor, modelType) => {
  const { texts, sentence_embedding: expected } = readGolden<Static>(`encoders-2/${name}/expected.json`);

  it("gives its reference, by every method of vectors", async () => {
    using model = await ropewalk.encoder(goldenFolder(name));
    const vectors = await model.embed(texts);
    vectors.forEach((vector, i) => {
      if (expected[i]!.some((value) => value !== 0)) expectNear(vector, expected[i]!, { relative: 5e-6 });
      else expect(vector).toEqual(new Float32Array(12));
    });
    const each: Float32Array[] = [];
    for await (const vector of model.embedEach(texts)) each.push(vector);
    expect(each).toEqual(vectors);
    expect(await model.embed(texts[0]!)).toEqual(vectors[0]);
    expect([model.modelType, model.dimensions, model.parameterCount]).toEqual([modelType, 12, 300]);
    expect(model.gives).toEqual(["vectors"]);
    expect(model.countTokens("rope walk zzz")).toBe(name === "static-model2vec" ? 2 : 3);
    expect(model.encode("rope walk").inputIds).toEqual([2, 3]);
    const cut = await model.embed(texts[0]!, { dimensions: 4, normalize: true });
    expect(Math.hypot(...cut)).toBeCloseTo(1, 6);
    const ranked = await model.rank("rope walk", ["rain is expected", "walk rope"]);
    expect(ranked[0]).toMatchObject({ index: 1 });
    expect(ranked[0]!.score).toBeCloseTo(1, 6);
  });

  it("works the same with `workers`, and refuses what it has not", async () => {
    using model = await ropewalk.encoder(goldenFolder(name));
    using parallel = await ropewalk.encoder(goldenFolder(name), { workers: 2 });
    expect(await parallel.embed(texts)).toEqual(await model.embed(texts));
    const input = { inputIds: [1], sequence: 1 };
    expect(() => model.forward(input)).toThrow("forward: a static model has no layers");
    await expect(parallel.forward(input)).rejects.toThrow("forward: a static model has no layers");
    await expect(model.embed("a", { pooling: "cls" })).rejects.toThrow('embed: `pooling` is "cls"; allowed: "mean"');
    await expect(model.embedTokens("a")).rejects.toThrow('gives "tokens"');
    await expect(model.fillMask("a")).rejects.toThrow("fillMask");
    model.dispose();
    await expect(model.embed("a")).rejects.toThrow("embed: this Encoder has been disposed");
  });

  it("reads a table of 16 bits, and refuses one that is damaged or missing", async () => {
    using model = await ropewalk.encoder(filesOf(name, { "model.safetensors": halved(name, tensor) }));
    const [vector] = await model.embed(texts.slice(0, 1));
    expectNear(vector, expected[0]!, { relative: 2e-3 });
    const bytes = filesOf(name).get("model.safetensors") as Uint8Array<ArrayBuffer>;
    const opened = (source: FileSource | undefined) => ropewalk.encoder(filesOf(name, { "model.safetensors": source }));
    await expect(opened(bytes.slice(0, 7))).rejects.toThrow("`model.safetensors` is not a whole .safetensors file");
    await expect(opened(bytes.slice(0, -1))).rejects.toThrow(tensor);
    await expect(opened(undefined)).rejects.toThrow("no model.safetensors");
    await expect(ropewalk.encoder(filesOf(name, { "tokenizer.json": undefined }))).rejects.toThrow("no tokenizer.json");
    expect(await ropewalk.modelSize(goldenFolder(name))).toMatchObject({ parameters: 300 });
  });
});

describe("embedTokens", () => {
  const pylate = {
    query_prefix: "[UNK]",
    document_prefix: "[SEP]",
    query_length: 12,
    document_length: 9,
    attend_to_expansion_tokens: false,
    skiplist_words: [".", ",", "not-a-token"],
  };
  const files = (config: object = { prompts: {} }) =>
    filesOf("modernbert-colbert", { "tokenizer.json": bytePairs(), "config_sentence_transformers.json": config });

  it("gives the rows of forward, for one text and for several", async () => {
    using model = await ropewalk.encoder(files());
    const { inputIds } = model.encode("the rope");
    const { tokenVectors } = model.forward({ inputIds, sequence: inputIds.length }, { tokens: true });
    const one = await model.embedTokens("the rope");
    expect(one).toEqual({ vectors: tokenVectors, rows: inputIds.length, ids: Int32Array.from(inputIds) });
    expect(await model.embedTokens(["a ship", "the rope"], { as: "query" })).toMatchObject([{}, one]);
    expect(await model.embedTokens([])).toEqual([]);
    using parallel = await ropewalk.encoder(files(), { workers: 2 });
    const there = await parallel.embedTokens("the rope");
    expect(there.ids).toEqual(one.ids);
    expectFromWorkers(ropewalk, there, one);
  });

  it("puts PyLate's prefix behind the first token, cuts, and skips words of documents", async () => {
    using model = await ropewalk.encoder(files(pylate));
    const plain = model.encode("the rope, a ship.").inputIds;
    const [document] = await model.embedTokens(["the rope, a ship."]);
    const tokenizer = model.encode("the rope, a ship.");
    const inputIds = [plain[0]!, 1, ...plain.slice(1, -1).slice(0, 6), plain.at(-1)!];
    const skipped = (i: number) => [",", "."].includes([tokenizer.tokens[0], "", ...tokenizer.tokens.slice(1)][i]!);
    const kept = [...inputIds.keys()].filter((i) => !skipped(i));
    expect(kept.length).toBeLessThan(inputIds.length);
    const { tokenVectors } = model.forward({ inputIds, sequence: inputIds.length }, { tokens: true });
    expect([...document!.ids]).toEqual(kept.map((i) => inputIds[i]));
    for (const [row, token] of kept.entries())
      expect(document!.vectors.subarray(row * 12, (row + 1) * 12)).toEqual(
        tokenVectors!.subarray(token * 12, (token + 1) * 12),
      );
  });

  it.each([false, true])("fills queries with masks, which others see: %s", async (attend) => {
    using model = await ropewalk.encoder(files({ ...pylate, attend_to_expansion_tokens: attend }));
    const plain = model.encode("the rope.").inputIds;
    const query = await model.embedTokens("the rope.", { as: "query" });
    const inputIds = [plain[0]!, 4, ...plain.slice(1)];
    const length = inputIds.length;
    while (inputIds.length < 12) inputIds.push(3);
    expect([query.rows, [...query.ids]]).toEqual([12, inputIds]);
    const attentionMask = inputIds.map((_, i) => Number(attend || i < length));
    const input = { inputIds, sequence: 12, attentionMask };
    const { tokenVectors, attentions } = model.forward(input, { tokens: true, attentions: true });
    expect(query.vectors.subarray(0, length * 12)).toEqual(tokenVectors!.subarray(0, length * 12));
    // A mask that others do not see looks at them all the same.
    const row = attentions![0]!.subarray(11 * 12, 12 * 12);
    expect(row.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 5);
    for (let i = 0; i < 12; i++) expect(Math.hypot(...query.vectors.subarray(i * 12, (i + 1) * 12))).toBeCloseTo(1, 5);
  });

  it("names no token where the id of a mask, which fills a query, is not one of the model's", async () => {
    const wrong = 1 << 20;
    const added = (bytePairs() as { added_tokens: { content: string }[] }).added_tokens;
    const changed = {
      ...bytePairs(),
      added_tokens: added.map((each) => (each.content === "[MASK]" ? { ...each, id: wrong } : each)),
    };
    using model = await ropewalk.encoder(new Map([...files(pylate), ["tokenizer.json", changed]]));
    const said = `embedTokens: \`tokenizer: id\` is ${wrong}; allowed: 0 to `;
    await expect(model.embedTokens("a ship", { as: "query" })).rejects.toThrow(said);
    expect((await model.embedTokens("a ship")).rows).toBeGreaterThan(0);
  });

  it("fills as sentence-transformers says, and without do_query_expansion not at all", async () => {
    using model = await ropewalk.encoder(files({ ...pylate, do_query_expansion: false }));
    expect((await model.embedTokens("a", { as: "query" })).rows).toBe(model.countTokens("a") + 1);
    const lengths = { max_seq_length: 64, query_expansion: { strategy: "min", length: 10 } };
    using other = await ropewalk.encoder(new Map([...files(), ["sentence_bert_config.json", lengths]]));
    expect((await other.embedTokens("a", { as: "query" })).rows).toBe(10);
    expect((await other.embedTokens("the rope ".repeat(6), { as: "query" })).rows).toBeGreaterThan(10);
    const odd = new Map([...files(), ["sentence_bert_config.json", { query_expansion: { strategy: "other" } }]]);
    await expect(ropewalk.encoder(odd)).rejects.toThrow("query_expansion");
  });

  it("refuses what it does not take, and stops when it is told to", async () => {
    using model = await ropewalk.encoder(files());
    const wrong = <T>(value: unknown) => value as T;
    await expect(model.embedTokens("a", { as: wrong("passage") })).rejects.toThrow('`as` is "passage"');
    await expect(model.embedTokens(wrong(7))).rejects.toThrow("embedTokens: `texts` is 7");
    await expect(model.embedTokens("a", wrong({ prompt: "x" }))).rejects.toThrow("unknown option `prompt`");
    await expect(model.embedTokens("a", { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
    using prefixed = await ropewalk.encoder(files({ ...pylate, document_prefix: "[D] " }));
    await expect(prefixed.embedTokens("a")).rejects.toThrow('the tokenizer has no token "[D] "');
    const dense = {
      in_features: 32,
      out_features: 12,
      bias: false,
      activation_function: "torch.nn.modules.activation.Tanh",
    };
    const tanh = new Map([...files(), ["1_Dense/config.json", dense]]);
    await expect(ropewalk.encoder(tanh)).rejects.toThrow("Identity or ReLU");
    const short = new Map([
      ...files(),
      ["1_Dense/config.json", { ...dense, out_features: 11, activation_function: "Identity" }],
    ]);
    await expect(ropewalk.encoder(short)).rejects.toThrow("linear.weight");
    const missing = files();
    missing.delete("1_Dense/model.safetensors");
    await expect(ropewalk.encoder(missing)).rejects.toThrow("1_Dense/model.safetensors");
  });
});

describe("embedSparse", () => {
  const files = { "vocab.txt": vocabulary() };

  it("lists the words of forward whose weight is above 0", async () => {
    using model = await ropewalk.encoder(filesOf("bert-splade", files));
    const { inputIds } = model.encode("the rope");
    const { sparse } = model.forward({ inputIds, sequence: inputIds.length }, { sparse: true });
    const { ids, weights } = await model.embedSparse("the rope");
    const expected = [...sparse!.keys()].filter((id) => sparse![id]! > 0);
    expect([...ids]).toEqual(expected);
    expect([...weights]).toEqual(expected.map((id) => sparse![id]));
    expect(await model.embedSparse(["a ship", "the rope"], { as: "query" })).toMatchObject([{}, { ids, weights }]);
    expect(await model.fillMask("the [MASK]")).toHaveLength(1);
  });

  it("reads SpladePooling, and refuses a model without a masked language model", async () => {
    const modules = ["sparse_encoder.models.MLMTransformer", "sparse_encoder.models.SpladePooling"].map((type, i) => ({
      type: `sentence_transformers.${type}`,
      path: i === 0 ? "" : "1_SpladePooling",
    }));
    const pooled = (config: object) =>
      ropewalk.encoder(
        filesOf("bert-splade", { ...files, "modules.json": modules, "1_SpladePooling/config.json": config }),
      );
    using model = await pooled({ pooling_strategy: "max", activation_function: "relu" });
    using sum = await pooled({ pooling_strategy: "sum", activation_function: "log1p_relu" });
    const input = { inputIds: [7, 8, 9], sequence: 3, attentionMask: [1, 1, 0] };
    const { logits, sparse } = model.forward(input, { sparse: true });
    const of = (v: number, t: number) => Math.log1p(Math.max(0, logits![t * 53 + v]!));
    const largest = Array.from({ length: 53 }, (_, v) => Math.max(of(v, 0), of(v, 1)));
    expectNear(sparse, largest, { relative: 1e-6 });
    const sums = Array.from({ length: 53 }, (_, v) => Math.log1p(of(v, 0)) + Math.log1p(of(v, 1)));
    expectNear(sum.forward(input, { sparse: true }).sparse, sums, { relative: 1e-6 });
    await expect(pooled({ pooling_strategy: "mean" })).rejects.toThrow("pooling_strategy");
    await expect(
      ropewalk.encoder(filesOf("bert-minilm", { ...files, "modules.json": modules.slice(0, 1) })),
    ).rejects.toThrow('gives "words"');
  });
});
