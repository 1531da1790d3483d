/** GLUE's metrics against values worked out by hand, and its files read strictly. */
import { describe, expect, it } from "vitest";
import { classifierConfig } from "../../bindings/ts/cli/glue/checkpoint-out.js";
import { shortened } from "../../bindings/ts/cli/glue/examples.js";
import { accuracy } from "../../bindings/ts/cli/glue/metrics/accuracy.js";
import { f1 } from "../../bindings/ts/cli/glue/metrics/f1.js";
import { matthews } from "../../bindings/ts/cli/glue/metrics/matthews.js";
import { pearson } from "../../bindings/ts/cli/glue/metrics/pearson.js";
import { ranks, spearman } from "../../bindings/ts/cli/glue/metrics/spearman.js";
import { TASKS } from "../../bindings/ts/cli/glue/tasks.js";
import { parseTsv } from "../../bindings/ts/cli/glue/tsv.js";

// Two true positives, one false positive, one false negative, four true negatives.
const expected = [1, 1, 1, 0, 0, 0, 0, 0];
const found = [1, 1, 0, 1, 0, 0, 0, 0];

describe("accuracy", () => {
  it("is the share that is right", () => expect(accuracy(expected, found)).toBe(6 / 8));
  it("is 0 of nothing", () => expect(accuracy([], [])).toBe(0));
});

describe("F1", () => {
  it("is that of class 1", () => expect(f1(expected, found)).toBeCloseTo(4 / 6, 15));
  it("is 0 where class 1 is never found, or not there", () => {
    expect(f1([1, 0], [0, 0])).toBe(0);
    expect(f1([0, 0], [1, 0])).toBe(0);
    expect(f1([0, 0], [0, 0])).toBe(0);
  });
  it("is 1 where all is right", () => expect(f1([0, 1], [0, 1])).toBe(1));
});

describe("Matthews", () => {
  // (TP TN - FP FN) / sqrt((TP+FP)(TP+FN)(TN+FP)(TN+FN)) = (8 - 1) / sqrt(3 * 3 * 5 * 5)
  it("is that of the four counts", () => expect(matthews(expected, found)).toBeCloseTo(7 / 15, 15));
  it("is -1 where all is wrong", () => expect(matthews([0, 1, 1, 0], [1, 0, 0, 1])).toBe(-1));
  it("is 0 where one side is always the same", () => {
    expect(matthews([0, 1, 1], [1, 1, 1])).toBe(0);
    expect(matthews([1, 1, 1], [0, 1, 1])).toBe(0);
    expect(matthews([], [])).toBe(0);
  });
  // Three classes: c = 3, s = 4, t = (2,1,1), p = (1,2,1): (12 - 5) / sqrt((16 - 6)(16 - 6)).
  it("takes more than two classes", () => expect(matthews([0, 0, 1, 2], [0, 1, 1, 2])).toBeCloseTo(0.7, 15));
});

describe("correlations", () => {
  it("Pearson's of a line is 1, of a falling one -1", () => {
    expect(pearson([1, 2, 3], [10, 20, 30])).toBeCloseTo(1, 14);
    expect(pearson([1, 2, 3], [1, 0, -1])).toBeCloseTo(-1, 14);
  });
  // Deviations (-1,0,1) and (-4/3,-1/3,5/3): 3 / sqrt(2 * 14/3).
  it("Pearson's of three points", () => expect(pearson([1, 2, 3], [1, 2, 4])).toBeCloseTo(3 / Math.sqrt(28 / 3), 14));
  it("are 0 where one side does not vary", () => {
    expect(pearson([1, 2], [5, 5])).toBe(0);
    expect(spearman([3, 3], [1, 2])).toBe(0);
    expect(pearson([], [])).toBe(0);
  });
  it("ties share the mean of their ranks", () => {
    expect(ranks([10, 20, 20, 5])).toEqual([2, 3.5, 3.5, 1]);
    expect(ranks([7, 7, 7])).toEqual([2, 2, 2]);
  });
  it("Spearman's sees the order only, ties included", () => {
    expect(spearman([1, 2, 3, 4], [1, 10, 100, 1000])).toBeCloseTo(1, 14);
    // Ranks (1,2.5,2.5,4) and (1,2,3,4): 4.5 / sqrt(4.5 * 5).
    expect(spearman([1, 2, 2, 3], [1, 2, 3, 4])).toBeCloseTo(4.5 / Math.sqrt(22.5), 14);
  });
});

describe("files", () => {
  it("SST-2, with Windows' line ends and a byte order mark", () => {
    const text = '\ufeffsentence\tlabel\r\nhe said "no \t0\r\nfine\t1\r\n';
    expect(parseTsv("f", text, TASKS["sst-2"].columns)).toEqual([
      { line: 2, label: "0", text: 'he said "no ' },
      { line: 3, label: "1", text: "fine" },
    ]);
  });
  it("MRPC, whose quotation marks are characters", () => {
    const text = 'Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t7\t8\t"a" b\tc "d\n';
    expect(parseTsv("f", text, TASKS.mrpc.columns)).toEqual([{ line: 2, label: "1", text: '"a" b', pair: 'c "d' }]);
  });
  it("CoLA, which has no header", () => {
    expect(parseTsv("f", "gj04\t0\t*\tThey drank the pub.\n", TASKS.cola.columns)).toEqual([
      { line: 1, label: "0", text: "They drank the pub." },
    ]);
  });
  it("STS-B and MNLI, by the names of their columns", () => {
    const similar = "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore\n";
    expect(parseTsv("f", `${similar}0\tm\tf\t2012\t1\tn\tn\ta\tb\t5.000\n`, TASKS["sts-b"].columns)[0]!.label).toBe(
      "5.000",
    );
    const inference = "index\tsentence1\tsentence2\tlabel1\tgold_label\n";
    expect(parseTsv("f", `${inference}0\ta\tb\tneutral\tentailment\n`, TASKS.mnli.columns)).toEqual([
      { line: 2, label: "entailment", text: "a", pair: "b" },
    ]);
  });

  const refused: [string, string, keyof typeof TASKS, string][] = [
    [
      "a column too few",
      "sentence\tlabel\na\t1\nb\n",
      "sst-2",
      "f.tsv:3: has 1 columns; allowed: 2, as the header has",
    ],
    ["an empty line", "sentence\tlabel\n\na\t1\n", "sst-2", "f.tsv:2: has 1 columns"],
    ["no header where there is one", "fine\t1\n", "sst-2", 'f.tsv:1: has 0 columns named "label"; allowed: one among'],
    ["a column named twice", "label\tlabel\tsentence\n", "sst-2", 'f.tsv:1: has 2 columns named "label"'],
    ["a header where there is none", "sentence\tlabel\n", "cola", "f.tsv:1: has 2 columns; allowed: 4"],
    ["only a header", "sentence\tlabel\n", "sst-2", "f.tsv: holds no line of data"],
    ["nothing", "", "cola", "f.tsv: is empty"],
  ];
  it.each(refused)("%s", (_, text, task, message) => {
    expect(() => parseTsv("f.tsv", text, TASKS[task].columns)).toThrow(message);
  });
});

describe("texts that are too long", () => {
  const frame = new Set([2, 3]);
  const encoded = {
    inputIds: [2, 10, 11, 12, 3, 20, 21, 22, 23, 3],
    tokenTypeIds: [0, 0, 0, 0, 0, 1, 1, 1, 1, 1],
    attentionMask: new Array<number>(10).fill(1),
    tokens: ["[CLS]", "a", "b", "c", "[SEP]", "d", "e", "f", "g", "[SEP]"],
  };
  it("lose the last words of the longer one", () => {
    expect(shortened(encoded, 10, frame).ids).toEqual(encoded.inputIds);
    expect(shortened(encoded, 9, frame).ids).toEqual([2, 10, 11, 12, 3, 20, 21, 22, 3]);
    expect(shortened(encoded, 8, frame)).toEqual({
      ids: [2, 10, 11, 3, 20, 21, 22, 3],
      types: [0, 0, 0, 0, 1, 1, 1, 1],
    });
    expect(shortened(encoded, 5, frame).ids).toEqual([2, 10, 3, 20, 3]);
  });
  it("keep what frames them", () => expect(shortened(encoded, 1, frame).ids).toEqual([2, 3, 3]));
  it("are told apart by the frame where all tokens have one type", () => {
    // <s> a b c </s> </s> d e </s>, as RoBERTa frames two texts.
    const pair = { ...encoded, inputIds: [0, 10, 11, 12, 2, 2, 20, 21, 2], tokenTypeIds: new Array<number>(9).fill(0) };
    expect(shortened(pair, 7, new Set([0, 2])).ids).toEqual([0, 10, 2, 2, 20, 21, 2]);
  });
});

it.each([
  [["BertForMaskedLM"], "BertForSequenceClassification"],
  [["RobertaModel"], "RobertaForSequenceClassification"],
  [["MPNetForMaskedLM"], "MPNetForSequenceClassification"],
  [undefined, "ForSequenceClassification"],
])("a classifier that began as %j is %s", (architectures, expected) => {
  expect(classifierConfig({ architectures }, ["no", "yes"]).architectures).toEqual([expected]);
});
