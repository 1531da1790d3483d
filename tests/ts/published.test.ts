/** Measures and verdicts of the comparison with published weights. `npm run test:published` compares the weights themselves. */
import { describe, expect, it } from "vitest";
import { fromRoot, readJson, readText } from "./files.js";

const from = (path: string) => import(/* @vite-ignore */ fromRoot("tests/published", path));

type Measures = Record<string, number>;
interface Row {
  model: string;
  host: string;
  precision: string;
  bounds: Measures;
  measures?: Measures;
  refused?: string;
}
const { encoderMeasures, decoderMeasures, neighboursKept, verdictOf, regressionsOf } = (await from("measures.mjs")) as {
  encoderMeasures(found: { ids?: number[][]; vectors: number[][] }, golden: object): Measures;
  decoderMeasures(cases: object[], golden: object): Measures;
  neighboursKept(vectors: number[][], reference: number[][], count?: number): number;
  verdictOf(row: Partial<Row>): string;
  regressionsOf(row: Row, before?: Row): string[];
};
const { publishedPage, merged } = (await from("document.mjs")) as {
  publishedPage(results: { rows: Row[] }): string;
  merged(recorded: { rows: Row[] }, rows: Row[]): { rows: Row[] };
};

describe("measures", () => {
  const reference = JSON.parse(readText("tests/golden/published/all-MiniLM-L6-v2.json"));

  it("finds nothing where an encoder gives the reference", () => {
    const measures = encoderMeasures(reference, reference);
    expect(measures).toMatchObject({ wrongIds: 0, largestDifference: 0, neighboursKept: 1 });
    expect(measures.leastCosine).toBeCloseTo(1, 12);
  });

  it("finds one wrong id, one wrong entry and NaN", () => {
    const ids = reference.ids.with(3, [...reference.ids[3].slice(1)]);
    const changed = (value: number) => reference.vectors.with(5, reference.vectors[5].with(7, value));
    const found = { ids, vectors: changed(reference.vectors[5][7] + 0.25) };
    expect(encoderMeasures(found, reference)).toMatchObject({ wrongIds: 1, largestDifference: expect.closeTo(0.25) });
    const broken = encoderMeasures({ vectors: changed(Number.NaN) }, reference);
    expect(verdictOf({ measures: broken, bounds: { largestDifference: 1e-5 } })).toBe("falls short");
  });

  it("counts neighbours that are lost", () => {
    const reference = [0, 1, 2, 3].map((angle) => [Math.cos(angle), Math.sin(angle)]);
    // The nearest of the first was the second, and is the third now.
    const swapped = [reference[0]!, reference[2]!, reference[1]!, reference[3]!];
    expect(neighboursKept(reference, reference, 1)).toBe(1);
    expect(neighboursKept(swapped, reference, 1)).toBeLessThan(1);
  });

  it("compares logits at every position that the reference has, likelihood and greedy tokens", () => {
    const logits = Float32Array.from({ length: 2000 }, (_, i) => -i / 100);
    const positions = [{ at: 0, top: [[0, 0]], every_997th: [0, -9.97, -19.94] }];
    const reference = { cases: [{ ids: [2, 5], mean_negative_log_likelihood: 1.5, greedy: [1, 2, 3], positions }] };
    const found = { ids: [2, 5], logits: [logits], likelihood: 1.25, greedy: [1, 9, 3] };
    const measures = decoderMeasures([found], reference);
    expect(measures).toMatchObject({ wrongIds: 0, likelihoodDifference: 0.25, otherGreedyTokens: 1 });
    expect(measures.logitDifference).toBeLessThan(1e-5);
    logits[997] = 4;
    expect(decoderMeasures([found], reference).logitDifference).toBeCloseTo(13.97, 4);
  });
});

describe("verdicts", () => {
  const row = (more: Partial<Row>): Row => ({
    model: "minilm",
    host: "native",
    precision: "int8",
    bounds: { neighboursKept: 0.97 },
    ...more,
  });

  it("are that a row holds, falls short or does not load", () => {
    expect(verdictOf(row({ measures: { neighboursKept: 0.97 } }))).toBe("holds");
    expect(verdictOf(row({ measures: { neighboursKept: 0.93 } }))).toBe("falls short");
    expect(verdictOf(row({ refused: "no" }))).toBe("refused");
  });

  it("are red where a row that held falls short, or one that fell short gets worse", () => {
    const before = row({ measures: { neighboursKept: 0.98, largestDifference: 0.03 } });
    const worse = (measures: Measures) => regressionsOf(row({ measures }), before);
    expect(worse({ neighboursKept: 0.972, largestDifference: 0.03 })).toEqual([]);
    expect(worse({ neighboursKept: 0.95, largestDifference: 0.03 })).toHaveLength(1);
    expect(worse({ neighboursKept: 0.98, largestDifference: 0.04 })).toHaveLength(1);
    expect(worse({ neighboursKept: 0.98 })).toHaveLength(1);
    const short = row({ measures: { neighboursKept: 0.93 } });
    expect(regressionsOf(row({ measures: { neighboursKept: 0.92 } }), short)).toHaveLength(1);
    expect(regressionsOf(row({ measures: { neighboursKept: 0.94 } }), short)).toEqual([]);
  });

  it("are red where a model loads no more, and green where it loads at last", () => {
    const loaded = row({ measures: { neighboursKept: 0.9 } });
    const refused = row({ refused: "no such family" });
    expect(regressionsOf(refused, loaded)).toHaveLength(1);
    expect(regressionsOf(loaded, refused)).toEqual([]);
    expect(regressionsOf(refused, refused)).toEqual([]);
  });
});

describe("docs/published.md", () => {
  const results = readJson<{ rows: Row[] }>("docs/published/results.json");

  it("says what the record says", () => {
    expect(readText("docs/published.md")).toBe(publishedPage(results));
  });

  it("has each row once after a later run", () => {
    expect(merged(results, results.rows.slice(2, 4))).toEqual(results);
  });

  it("says of each row what its measures say", () => {
    for (const row of results.rows) expect(row).toMatchObject({ verdict: verdictOf(row) });
  });
});
