/** DeBERTa with text: its tokenizer beside the reference implementation's ids, and what guards and inference models do. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "ropewalk";
import { describe, expect, it } from "vitest";
import { expectFromWorkers } from "./backend.js";
import { readGolden } from "./golden.js";
import { filesOf, goldenFolder } from "./model-folder.js";

const ropewalk = await load();

interface Reference {
  tokenizer: object;
  texts: { text: string; ids: number[] }[];
  pairs: { pair: [string, string]; ids: number[] }[];
}
const referenceOf = (name: string) => readGolden<Reference>(`deberta-tokenizer/${name}.json`);

/** The golden classifier with such a tokenizer, as a model of natural language inference. */
function inference(reference: Reference) {
  const config = JSON.parse(readFileSync(join(goldenFolder("deberta-v3-classifier"), "config.json"), "utf8")) as object;
  const id2label = { 0: "entailment", 1: "neutral", 2: "contradiction" };
  const label2id = { entailment: 0, neutral: 1, contradiction: 2 };
  return filesOf("deberta-v3-classifier", {
    "config.json": { ...config, id2label, label2id },
    "tokenizer.json": reference.tokenizer,
    "tokenizer_config.json": { tokenizer_class: "DebertaV2Tokenizer", split_by_punct: false, unk_token: "[UNK]" },
  });
}

describe.each(["transformers-4", "transformers-5", "transformers-5-punctuation"])(
  "the tokenizer of %s",
  async (name) => {
    const reference = referenceOf(name);
    const model = await ropewalk.encoder(inference(reference));

    it.each(reference.texts)("gives the ids of $text", ({ text, ids }) => {
      expect([...model.encode(text).inputIds]).toEqual(ids);
    });

    it.each(reference.pairs)("gives the ids of $pair, of the one type that the model knows", ({ pair, ids }) => {
      const { inputIds, tokenTypeIds } = model.encode(...pair);
      expect([...inputIds]).toEqual(ids);
      expect([...tokenTypeIds]).toEqual(ids.map(() => 0));
    });
  },
);

describe("a model of natural language inference", async () => {
  const files = inference(referenceOf("transformers-5"));
  const model = await ropewalk.encoder(files);

  it("classifies into labels as the zero-shot pipeline does", async () => {
    const labels = ["ship", "rope", "sea"];
    const weights = labels.map((label) => {
      const { inputIds, tokenTypeIds } = model.encode("the sailor ties a knot", `This example is ${label}.`);
      const { classLogits } = model.forward({ inputIds, tokenTypeIds, sequence: inputIds.length });
      return Math.exp(classLogits![0]!);
    });
    const sum = weights.reduce((a, b) => a + b);
    const found = await model.classifyInto("the sailor ties a knot", labels);
    const order = [...labels.keys()].sort((a, b) => weights[b]! - weights[a]!);
    expect(found.map(({ label }) => label)).toEqual(order.map((i) => labels[i]));
    for (const [i, { score }] of found.entries()) expect(score).toBeCloseTo(weights[order[i]!]! / sum, 6);
  });

  it("gives classes, has a size before it is loaded, and works in workers and in 8 bits", async () => {
    expect(model.gives).toEqual(["classes"]);
    expect(model.modelType).toBe("deberta-v2");
    expect(await ropewalk.modelSize(files)).toMatchObject({ parameters: model.parameterCount });
    const found = await model.classify("the rope ties a ship.");
    using parallel = await ropewalk.encoder(files, { workers: 2 });
    expectFromWorkers(ropewalk, await parallel.classify("the rope ties a ship."), found);
    using bytes = await ropewalk.encoder(files, { precision: "int8" });
    const [all, some] = [model, bytes].map((each) => each.forward({ inputIds: [1, 6, 9, 10, 2], sequence: 5 }));
    expect(some!.lastHiddenState).not.toEqual(all!.lastHiddenState);
    for (const [i, value] of all!.lastHiddenState.entries())
      expect(Math.abs(some!.lastHiddenState[i]! - value)).toBeLessThan(0.2);
  });
});

describe("chains in one sequence", async () => {
  const model = await ropewalk.encoder(goldenFolder("esmc-masked-lm"));
  const input = { inputIds: [2, 7, 9, 11, 3, 5, 20, 8], sequence: 4, batch: 2, sequenceIds: [0, 0, 1, 1, 3, 3, 3, 4] };

  it("do not see each other, with `workers` neither", async () => {
    const { attentions, lastHiddenState } = model.forward(input, { attentions: true });
    const seen = (b: number, i: number, j: number) => input.sequenceIds[4 * b + i] === input.sequenceIds[4 * b + j];
    for (const [at, share] of attentions![0]!.entries()) {
      const [b, i, j] = [Math.floor(at / 48), Math.floor(at / 4) % 4, at % 4];
      expect(share > 0).toBe(seen(b, i, j));
    }
    using parallel = await ropewalk.encoder(goldenFolder("esmc-masked-lm"), { workers: 2 });
    const there = await parallel.forward(input);
    expectFromWorkers(ropewalk, there.lastHiddenState, lastHiddenState);
  });

  it("are refused where nothing computes them, and with a wrong count", async () => {
    expect(() => model.forward({ ...input, sequenceIds: [1] })).toThrow("`sequenceIds` has 1 elements; allowed: 8");
    const weights = new Uint8Array(readFileSync(join(goldenFolder("esmc-masked-lm"), "model.safetensors")));
    const config = readGolden<object>("encoders-3/esmc-masked-lm/config.json");
    using trainer = await ropewalk.trainer({ config, weights });
    expect(() => trainer.train({ ...input, labels: input.inputIds })).toThrow("train: `sequenceIds` is");
  });
});

it.each(["albert", "deberta", "t5"])("%s is refused by name", async (model_type) => {
  const files = filesOf("deberta-v3", { "config.json": { model_type, hidden_size: 32 } });
  await expect(ropewalk.encoder(files)).rejects.toThrow(`\`model_type\` is "${model_type}"; allowed: `);
});

it("families() calls trainable what the trainer takes, and nothing else of these", async () => {
  const config = (name: string) => readGolden<object>(`encoders-3/${name}/config.json`);
  for (const [name, modelType] of [
    ["esmc-masked-lm", "esmc"],
    ["deberta-v2-masked-lm", "deberta-v2"],
  ] as const) {
    const { trainable } = ropewalk.families().find((family) => family.modelType === modelType)!;
    const made = ropewalk.trainer({ config: config(name) }).then(
      (trainer) => {
        trainer.dispose();
        return "";
      },
      (error: Error) => error.message,
    );
    expect(trainable).toBe(modelType === "esmc");
    expect(await made).toMatch(trainable ? /^$/ : /`model_type` is "deberta-v2"; allowed: |disentangled attention/);
  }
});
