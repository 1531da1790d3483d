/** The exponential of answers, and the choice of the largest. */
import { describe, expect, it } from "vitest";
import { classScores, maskFillings } from "../../bindings/ts/model/text/answers.js";
import { exactExp } from "../../bindings/ts/model/text/exact-exp.js";
import { random } from "./safetensors-file.js";

describe("exactExp", () => {
  it("is within 1e-15 of Math.exp, and 0 where that is", () => {
    expect(exactExp(0)).toBe(1);
    expect(exactExp(-800)).toBe(0);
    expect(exactExp(Number.NEGATIVE_INFINITY)).toBe(0);
    for (let x = 0; x > -700; x -= 0.37) expect(Math.abs(exactExp(x) / Math.exp(x) - 1)).toBeLessThan(1e-15);
  });

  it("has known bits", () => {
    const bits = (x: number) => new BigUint64Array(Float64Array.of(exactExp(x)).buffer)[0]!.toString(16);
    // e^-1 and e^-0.5, correctly rounded.
    expect([bits(-1), bits(-0.5)]).toEqual(["3fd78b56362cef38", "3fe368b2fc6f960a"]);
  });
});

describe("the largest", () => {
  const next = random(7);
  const logits = Float32Array.from({ length: 5000 }, () => Math.fround(Math.floor(next() * 400) / 50));
  const tokenizer = {
    maskId: 1,
    special: [],
    unknownId: undefined,
    idOf: () => undefined,
    encodeBetween: () => [],
    pieces: () => undefined,
    maskToken: "[MASK]",
    encode: () => never(),
    decode: (ids: number[]) => ids.join(" "),
    loadBeginnings: () => never(),
    loadOffsets: () => never(),
    addOffsets: () => never(),
  };
  const never = () => {
    throw new Error("not asked");
  };

  it("are those of a full sort, equal ones in their order", () => {
    const sorted = [...logits.keys()].sort((a, b) => logits[b]! - logits[a]! || a - b);
    for (const topK of [1, 2, 7, 311, 313, 5000, 6000]) {
      const [found] = maskFillings(tokenizer, [1], logits, topK);
      expect(found!.map(({ token }) => token)).toEqual(sorted.slice(0, topK));
    }
  });

  it("probabilities sum to 1", () => {
    const scores = classScores(logits.slice(0, 100), {});
    expect(scores.reduce((sum, { score }) => sum + score, 0)).toBeCloseTo(1, 12);
    expect(classScores(Float32Array.of(-2), {})[0]!.score).toBeCloseTo(1 / (1 + Math.exp(2)), 12);
  });
});
