/** `rank` with every kind of model, and `classifyInto`. */
import { cosine, type Encoder, type EncoderBase, load, type TokenVectors } from "ropewalk";
import { describe, expect, it } from "vitest";
import { expectFromWorkers } from "./backend.js";
import { bytePairs, filesOf, goldenFolder, inferenceFiles, unigram, vocabulary } from "./model-folder.js";

const ropewalk = await load();
const documents = ["a ship", "the rope on the sea", "who has it ?", "a ship"];
const query = "the ship";

/** Documents by a score, the best first, equal ones by index. */
async function expectRanked(model: EncoderBase, scores: readonly number[], digits = 5): Promise<void> {
  const ranked = await model.rank(query, documents);
  const order = [...scores.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b);
  expect(ranked.map(({ index }) => index)).toEqual(order);
  for (const { index, score } of ranked) expect(score).toBeCloseTo(scores[index]!, digits);
  expect(await model.rank(query, documents, { topK: 2 })).toEqual(ranked.slice(0, 2));
  expect(await model.rank(query, [])).toEqual([]);
}

describe("rank", () => {
  it("of a model of vectors is by cosine, with its prompts", async () => {
    const files = filesOf("xlm-roberta-e5", { "tokenizer.json": unigram() });
    using model = await ropewalk.encoder(files);
    expect(model.gives).toEqual(["vectors"]);
    const asked = await model.embed(query, { prompt: { name: "query" } });
    const vectors = await model.embed(documents, { prompt: { name: "passage" } });
    const scores = vectors.map((vector) => cosine(asked, vector));
    await expectRanked(model, scores);
    using parallel = await ropewalk.encoder(files, { workers: 2 });
    expectFromWorkers(ropewalk, await parallel.rank(query, documents), await model.rank(query, documents));
    const cut: number[] = [];
    await model.rank(query, ["a", "the rope ".repeat(90)], { onTruncation: (index) => cut.push(index) });
    expect(cut).toEqual([1]);
  });

  it("divides by both lengths where vectors have none of their own", async () => {
    using model = await ropewalk.encoder(filesOf("nomic-v1_5", { "vocab.txt": vocabulary(56) }));
    const [asked, ...vectors] = await model.embed([query, ...documents], { prompt: { text: "" } });
    expect(Math.hypot(...asked!)).not.toBeCloseTo(1, 1);
    await expectRanked(
      model,
      vectors.map((vector) => cosine(asked!, vector)),
      12,
    );
  });

  it.each([
    ["Instruct: Find it\nQuery:", "Instruct: Who ties\nQuery:"],
    ["task: search result | query: ", "task: Who ties | query: "],
  ])("takes an instruction where the prompt is %j", async (prompt, expected) => {
    const prompts = { "config_sentence_transformers.json": { prompts: { query: prompt } }, "vocab.txt": vocabulary() };
    using model = await ropewalk.encoder(filesOf("bert-minilm", prompts));
    const [found] = await model.rank(query, ["a ship"], { instruction: "Who ties" });
    const asked = await model.embed(query, { prompt: { text: expected } });
    expect(found!.score).toBeCloseTo(cosine(asked, await model.embed("a ship")), 6);
  });

  it("of late interaction is the sum of the largest products", async () => {
    using model = await ropewalk.encoder(filesOf("modernbert-colbert", { "tokenizer.json": bytePairs() }));
    const rowsOf = ({ vectors, rows }: TokenVectors) =>
      Array.from({ length: rows }, (_, row) => [...vectors.subarray(row * 12, (row + 1) * 12)]);
    const asked = rowsOf(await model.embedTokens(query, { as: "query" }));
    const found = await model.embedTokens(documents);
    const scores = found.map((each) =>
      asked
        .map((a) => Math.max(...rowsOf(each).map((b) => a.reduce((sum, x, i) => sum + x * b[i]!, 0))))
        .reduce((a, b) => a + b, 0),
    );
    await expectRanked(model, scores);
  });

  it("of sparse vectors is their product", async () => {
    using model = await ropewalk.encoder(filesOf("bert-splade", { "vocab.txt": vocabulary() }));
    const dense = ({ ids, weights }: { ids: Int32Array; weights: Float32Array }) => {
      const all = new Float64Array(53);
      for (const [i, id] of ids.entries()) all[id] = weights[i]!;
      return all;
    };
    const asked = dense(await model.embedSparse(query));
    const found = (await model.embedSparse(documents)).map(dense);
    await expectRanked(
      model,
      found.map((each) => each.reduce((sum, x, i) => sum + x * asked[i]!, 0)),
    );
  });

  it.each([
    ["torch.nn.modules.activation.Sigmoid", (logit: number) => 1 / (1 + Math.exp(-logit))],
    ["torch.nn.modules.linear.Identity", (logit: number) => logit],
  ])("of a cross-encoder as sentence-transformers 6 saves it is its logit behind %s", async (name, activation) => {
    const files = {
      "vocab.txt": vocabulary(),
      "modules.json": [
        { idx: 0, name: "0", path: "", type: "sentence_transformers.base.modules.transformer.Transformer" },
      ],
      "sentence_bert_config.json": { transformer_task: "sequence-classification" },
      "config_sentence_transformers.json": { model_type: "CrossEncoder", activation_fn: name },
    };
    using model = await ropewalk.encoder(filesOf("bert-reranker", files));
    expect(model.gives).toEqual(["relevance", "classes"]);
    const logits = documents.map((document) => {
      const { inputIds, tokenTypeIds } = model.encode(query, document);
      return model.forward({ inputIds, tokenTypeIds, sequence: inputIds.length }).classLogits![0]!;
    });
    await expectRanked(model, logits.map(activation));
  });

  it("refuses what a model has not, by name", async () => {
    const files = { "vocab.txt": vocabulary() };
    using reranker = await ropewalk.encoder(filesOf("bert-reranker", files));
    expect(reranker.gives).toEqual(["relevance", "classes"]);
    using vectors = await ropewalk.encoder(filesOf("bert-minilm", files));
    for (const model of [reranker, vectors])
      await expect(model.rank("a", ["b"], { instruction: "x" })).rejects.toThrow(
        'rank: `instruction` is "x"; allowed: none: the prompt of this model has no instruction',
      );
    await expect(vectors.rank("a", ["b"], { instruction: 7 as never })).rejects.toThrow("`instruction` is 7");
    using tokens = await ropewalk.encoder(filesOf("bert-tokens", files));
    expect(tokens.gives).toEqual(["token-classes"]);
    await expect(tokens.rank("a", ["b"])).rejects.toThrow(
      'rank: it needs a model that gives relevance or vectors; this one gives "token-classes"',
    );
    await expect(vectors.rank("a", ["b"], { limit: 1 } as never)).rejects.toThrow("unknown option `limit`");
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(vectors.rank("a", ["b"], { signal })).rejects.toThrow("enough");
  });
});

describe("classifyInto", () => {
  const labels = ["ship", "rope", "sea"];

  function logitsOf(model: Encoder, text: string, hypothesis: string): Float32Array {
    const { inputIds } = model.encode(text, hypothesis);
    return model.forward({ inputIds, sequence: inputIds.length }).classLogits!;
  }

  it.each([0, 1, 2])("is the zero-shot pipeline's answer where the entailment is class %i", async (entails) => {
    using model = await ropewalk.encoder(inferenceFiles(entails));
    const rows = labels.map((label) => logitsOf(model, "the sailor", `This example is ${label}.`));
    const weights = rows.map((row) => Math.exp(row[entails]!));
    const sum = weights.reduce((a, b) => a + b);
    const expectScores = (found: { label: string; score: number }[], expected: number[]) => {
      const order = [...labels.keys()].sort((a, b) => expected[b]! - expected[a]!);
      expect(found.map(({ label }) => label)).toEqual(order.map((i) => labels[i]));
      for (const [i, { score }] of found.entries()) expect(score).toBeCloseTo(expected[order[i]!]!, 6);
    };
    expectScores(
      await model.classifyInto("the sailor", labels),
      weights.map((weight) => weight / sum),
    );
    const against = entails === 0 ? 2 : 0;
    const alone = rows.map((row) => 1 / (1 + Math.exp(row[against]! - row[entails]!)));
    expectScores(await model.classifyInto("the sailor", labels, { multiple: true }), alone);
    const [one] = await model.classifyInto("the sailor", ["ship"]);
    expect(one!.score).toBeCloseTo(alone[0]!, 6);
    const hypothesis = "a {} is on the sea";
    const other = logitsOf(model, "the sailor", "a ship is on the sea");
    const [found] = await model.classifyInto("the sailor", ["ship"], { hypothesis });
    expect(found!.score).toBeCloseTo(1 / (1 + Math.exp(other[against]! - other[entails]!)), 6);
  });

  it("refuses models without an entailment, and arguments that are wrong", async () => {
    using plain = await ropewalk.encoder(filesOf("roberta-classifier", { "tokenizer.json": unigram() }));
    await expect(plain.classifyInto("a", labels)).rejects.toThrow(
      'classifyInto: it needs a model with a class "entailment"; the classes of this one are "LABEL_0", "LABEL_1", "LABEL_2"',
    );
    using model = await ropewalk.encoder(inferenceFiles(2));
    await expect(model.classifyInto("a", [])).rejects.toThrow("`labels` is an array; allowed: at least one text");
    await expect(model.classifyInto("a", ["b", 7 as never])).rejects.toThrow("`labels[1]` is 7");
    await expect(model.classifyInto(7 as never, labels)).rejects.toThrow("`text` is 7");
    await expect(model.classifyInto("a", labels, { hypothesis: "none" })).rejects.toThrow('`hypothesis` is "none"');
    await expect(model.classifyInto("a", labels, { multiple: 1 as never })).rejects.toThrow("`multiple` is 1");
    await expect(model.classifyInto("a", labels, { multi_label: true } as never)).rejects.toThrow("`multi_label`");
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(model.classifyInto("a", labels, { signal })).rejects.toThrow("enough");
    using parallel = await ropewalk.encoder(inferenceFiles(2), { workers: 2 });
    const there = await parallel.classifyInto("the sailor", labels);
    expectFromWorkers(ropewalk, there, await model.classifyInto("the sailor", labels));
    model.dispose();
    await expect(model.classifyInto("a", labels)).rejects.toThrow("classifyInto: this Encoder has been disposed");
  });

  it("says what other models give", async () => {
    using words = await ropewalk.encoder(goldenFolder("bert-masked-lm"));
    expect(words.gives).toEqual(["vectors", "words"]);
    await expect(words.classifyInto("a", labels)).rejects.toThrow('this one gives "vectors", "words"');
    using esm = await ropewalk.encoder(goldenFolder("esm2"));
    expect(esm.gives).toEqual(["vectors", "words", "contacts"]);
  });
});
