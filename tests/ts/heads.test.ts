/** Token, question answering, choice and pair heads: the answers in words against the numbers they come from. */
import { type Encoder, load } from "ropewalk";
import { afterAll, describe, expect, it } from "vitest";
import { ROFORMER_WORDS, roformerFiles } from "./model-folder.js";
import { randomTensors } from "./safetensors-file.js";

const ropewalk = await load();
const tensor = randomTensors(5);
const made: Encoder[] = [];

async function modelWith(...parts: Parameters<typeof roformerFiles>): Promise<Encoder> {
  const model = await ropewalk.encoder(roformerFiles(...parts));
  made.push(model);
  return model;
}
afterAll(() => {
  for (const model of made) model.dispose();
});

const softmax = (logits: number[]) => {
  const sum = logits.reduce((total, x) => total + Math.exp(x), 0);
  return logits.map((x) => Math.exp(x) / sum);
};

describe("tokens", async () => {
  const weight = tensor("classifier.weight", 3, 48);
  const bias = tensor("classifier.bias", 3);
  const model = await modelWith("RoFormerForTokenClassification", 3, [weight, bias]);

  it("each get the class of their largest logit", async () => {
    const { inputIds, tokens } = model.encode("The captain gave it");
    const { lastHiddenState, tokenLogits, classLogits } = model.forward({ inputIds, sequence: inputIds.length });
    expect(classLogits).toBeUndefined();
    expect(tokenLogits!.length).toBe(inputIds.length * 3);
    const classes = await model.classifyTokens("The captain gave it");
    expect(classes.map(({ token }) => token)).toEqual(tokens.slice(1, -1));
    for (const { index, label, score } of classes) {
      const logits = [0, 1, 2].map((label) =>
        weight.values
          .subarray(label * 48, (label + 1) * 48)
          .reduce((sum, w, c) => sum + w * lastHiddenState[index * 48 + c]!, bias.values[label]!),
      );
      expect(label).toBe(`LABEL_${logits.indexOf(Math.max(...logits))}`);
      expect(score).toBeCloseTo(Math.max(...softmax(logits)), 5);
    }
  });

  it("is no other head", async () => {
    await expect(model.classify("the")).rejects.toThrow(
      "classify: this checkpoint has no sequence classification head",
    );
    await expect(model.answer("the", "the")).rejects.toThrow("answer: this checkpoint has no question answering head");
    await expect(model.choose("the", ["the"])).rejects.toThrow("choose: this checkpoint has no multiple choice head");
    await expect(model.fillMask("[MASK]")).rejects.toThrow(
      "fillMask: this checkpoint has no masked-language-model head",
    );
  });
});

describe("questions", async () => {
  const head = [tensor("qa_outputs.weight", 2, 48), tensor("qa_outputs.bias", 2)];
  const model = await modelWith("RoFormerForQuestionAnswering", 2, head);
  const question = "who has it ?";
  const context = "the captain gave the rope to the sailor .";

  it("are answered by the likeliest stretch of the context", async () => {
    const { inputIds, tokenTypeIds } = model.encode(question, context);
    const output = model.forward({ inputIds, tokenTypeIds, sequence: inputIds.length });
    const first = 6; // [CLS] who has it ? [SEP]
    const part = (logits: Float32Array) => softmax([...logits.subarray(first, inputIds.length - 1)]);
    const [starts, ends] = [part(output.startLogits!), part(output.endLogits!)];
    const every = starts.flatMap((start, from) => ends.map((end, to) => ({ from, to, score: start * end })));
    const allowed = every.filter(({ from, to }) => from <= to && to < from + 4).sort((a, b) => b.score - a.score);
    const answers = await model.answer(question, context, { topK: 3, maxTokens: 4 });
    expect(answers.map(({ start, end }) => [start - first, end - first])).toEqual(
      allowed.slice(0, 3).map(({ from, to }) => [from, to]),
    );
    for (const [i, { score, text, start, end }] of answers.entries()) {
      expect(score).toBeCloseTo(allowed[i]!.score, 5);
      expect(text.replaceAll(" ", "")).toBe(
        inputIds
          .slice(start, end + 1)
          .map((id) => ROFORMER_WORDS[id])
          .join(""),
      );
    }
    expect(await model.answer(question, context)).toEqual(
      await model.answer(question, context, { topK: 1, maxTokens: 15 }),
    );
    expect(await model.answer(question, "")).toEqual([]);
  });

  it("says what it cannot do", async () => {
    await expect(model.answer(question, context, { topK: 0 })).rejects.toThrow(
      "answer: `topK` is 0; allowed: a whole number",
    );
    await expect(model.answer(question, context, { maxTokens: 1.5 })).rejects.toThrow("answer: `maxTokens` is 1.5");
    await expect(model.answer(question, 5 as unknown as string)).rejects.toThrow(
      "answer: `context` is 5; allowed: a text",
    );
  });
});

describe("choices", async () => {
  const weight = tensor("classifier.weight", 1, 48);
  const bias = tensor("classifier.bias", 1);
  const model = await modelWith("RoFormerForMultipleChoice", 2, [weight, bias]);

  it("are scored by the last token of each pair", async () => {
    const choices = ["the captain", "the sailor .", "rope"];
    const logits = choices.map((choice) => {
      const { inputIds, tokenTypeIds } = model.encode("who has it ?", choice);
      const { lastHiddenState } = model.forward({ inputIds, tokenTypeIds, sequence: inputIds.length });
      return weight.values.reduce((sum, w, c) => sum + w * lastHiddenState.at(c - 48)!, bias.values[0]!);
    });
    const expected = softmax(logits);
    const found = await model.choose("who has it ?", choices);
    expect(found.map(({ index }) => index)).toEqual([0, 1, 2].sort((a, b) => expected[b]! - expected[a]!));
    for (const { index, choice, score } of found) {
      expect(choice).toBe(choices[index]);
      expect(score).toBeCloseTo(expected[index]!, 5);
    }
    await expect(model.choose("who", [])).rejects.toThrow(
      "choose: `choices` is an array; allowed: an array of at least one",
    );
  });
});

describe("pairs", async () => {
  const head = (labels: number) => [
    tensor("classifier.dense.weight", 48, 48),
    tensor("classifier.dense.bias", 48),
    tensor("classifier.out_proj.weight", labels, 48),
    tensor("classifier.out_proj.bias", labels),
  ];
  const model = await modelWith("RoFormerForSequenceClassification", 2, head(2));

  it("are classified with types of their own", async () => {
    const { inputIds, tokenTypeIds } = model.encode("the captain", "the sailor");
    expect(tokenTypeIds).toContain(1);
    const { classLogits } = model.forward({ inputIds, tokenTypeIds, sequence: inputIds.length });
    const scores = softmax([...classLogits!]);
    const [best] = await model.classify("the captain", "the sailor");
    expect(best!.score).toBeCloseTo(Math.max(...scores), 6);
    expect(await model.classify("the captain")).not.toEqual(await model.classify("the captain", "the sailor"));
  });

  it("under regression have a value", async () => {
    const regression = { problem_type: "regression", id2label: { 0: "score" } };
    const scorer = await modelWith("RoFormerForSequenceClassification", 1, head(1), regression);
    const { inputIds } = scorer.encode("the captain");
    const { classLogits } = scorer.forward({ inputIds, sequence: inputIds.length });
    expect(await scorer.classify("the captain")).toEqual([{ label: "score", score: classLogits![0] }]);
  });
});
