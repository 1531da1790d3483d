/** Limits of the frequencies of a rope, against loops over positions that know nothing of how it is computed. */
import { checkRope, type DType, type Frequencies, load, type RopeLimits } from "ropewalk";
import { describe, expect, it } from "vitest";

const ropewalk = await load({ analysis: true });
const bits = new DataView(new ArrayBuffer(4));

const ofBits = (pattern: number): number => {
  bits.setUint32(0, pattern);
  return bits.getFloat32(0);
};
/** The upper halves of two float32s around x: the nearest, ties to even. */
function bfloat16(x: number): number {
  bits.setFloat32(0, x);
  let low = bits.getUint32(0) & 0x7fff0000;
  if (ofBits(low) > x) low -= 0x10000;
  const [below, above] = [ofBits(low), ofBits(low + 0x10000)];
  const up = x - below > above - x || (x - below === above - x && (low & 0x10000) !== 0);
  return up ? above : below;
}

/** Every float16 from 0 on, by its definition; infinity takes the place of 65536. */
const halves = Array.from({ length: 0x7c00 }, (_, i) => {
  const [exponent, mantissa] = [i >> 10, i & 1023];
  return exponent === 0 ? mantissa * 2 ** -24 : (1 + mantissa / 1024) * 2 ** (exponent - 15);
});
function float16(x: number): number {
  let [low, high] = [0, halves.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (halves[middle]! <= x) low = middle;
    else high = middle;
  }
  const [below, above] = [halves[low]!, halves[high] ?? 65536];
  const up = x - below > above - x || (x - below === above - x && low % 2 === 1);
  if (!up) return below;
  return halves[high] ?? Infinity;
}

const ROUND: Readonly<Record<DType, (x: number) => number>> = { float32: Math.fround, float16, bfloat16 };

const firstFrom = (start: number, end: number, holds: (n: number) => boolean): number => {
  for (let n = start; n < end; n++) if (holds(n)) return n;
  return Infinity;
};

function expectLimits(limits: RopeLimits, thetas: readonly number[], context: number, type: DType): void {
  const round = ROUND[type];
  const turning = thetas.filter((theta) => theta !== 0).map(Math.abs);
  const slowest = Math.min(...turning);
  expect(thetas[limits.slowest!.pair]).toBe(limits.slowest!.theta);
  expect(limits.slowest!.theta).toBe(slowest);
  // Half a step from where it began, after a turn or more.
  const returned = (n: number) => {
    const turns = Math.round((n * slowest) / (2 * Math.PI));
    return turns > 0 && Math.abs(n * slowest - turns * 2 * Math.PI) <= slowest / 2;
  };
  expect(limits.slowest!.alias).toBe(firstFrom(1, 1e7, returned));
  let least = 1;
  for (let n = 0; n < context && n * slowest <= Math.PI; n++) least = Math.min(least, Math.cos(n * slowest));
  if ((context - 1) * slowest >= Math.PI) least = -1;
  expect(limits.slowest!.cosine).toBeCloseTo(least, 12);
  const similar = (n: number) => thetas.reduce((sum, theta) => sum + Math.cos(n * theta), 0);
  expect(limits.similarity).toBe(firstFrom(1, context, (n) => similar(n) < 0));

  const collapses = turning.map((theta) => firstFrom(0, 1e5, (m) => round(m * theta) === round((m + 1) * theta)));
  const { numbers } = limits;
  expect(numbers.positions).toBe(firstFrom(1, 2 ** 25, (m) => round(m + 1) === m));
  if (type !== "float32") {
    expect(numbers.collapse!.position).toBe(Math.min(...collapses));
    expect(numbers.collapsed).toBe(collapses.filter((m) => m + 1 < context).length);
  }
  expect(1 + numbers.epsilon).toBe(round(1 + numbers.epsilon));
  expect(round(1 + 0.49 * numbers.epsilon)).toBe(1);
  expect(numbers.belowEpsilon).toBe(turning.filter((theta) => theta < numbers.epsilon).length);
  const large = Math.max(...turning);
  const overflow = firstFrom(0, 1e5, (m) => round(m * large) === Infinity);
  if (type === "float16" && large >= 0.9) expect(numbers.overflow).toBe(overflow);
  else expect(numbers.overflow).toBeGreaterThan(1e5);
}

const ropes: Readonly<Record<string, { headDim: number; frequencies: Frequencies }>> = {
  "base 10000": { headDim: 128, frequencies: { type: "default", base: 10000 } },
  "base 100": { headDim: 16, frequencies: { type: "default", base: 100 } },
  "base 500000": { headDim: 32, frequencies: { type: "default", base: 500_000 } },
  "base 1e9, below the smallest float16": { headDim: 64, frequencies: { type: "default", base: 1e9 } },
  linear: { headDim: 64, frequencies: { type: "linear", base: 10000, factor: 4 } },
  yarn: { headDim: 64, frequencies: { type: "yarn", base: 10000, factor: 8, originalMaxPositions: 512 } },
  "pairs that stand still": { headDim: 32, frequencies: { type: "proportional", base: 10000, fraction: 0.5 } },
  "given, some fast, some backwards": {
    headDim: 16,
    frequencies: { type: "custom", frequencies: [3.5, -2, 1, 0.75, 0.4999, -0.03, 0, 0.0078125] },
  },
};

describe.each(Object.entries(ropes))("%s", (_, options) => {
  it.each(["bfloat16", "float16", "float32"] as const)("limits are those of loops over positions, in %s", (type) => {
    using rope = ropewalk.rope(options);
    for (const context of [2, 300, 5000]) {
      const { limits, pairs } = rope.explain({ context, type });
      // Aliases far beyond what a loop of a test reaches are left to the other ropes.
      const thetas = pairs.map(({ theta }) => theta);
      if (Math.min(...thetas.map(Math.abs).filter(Boolean)) < 1e-6) {
        expect(limits!.slowest!.alias).toBe(Math.ceil((2 * Math.PI) / limits!.slowest!.theta - 0.5));
        continue;
      }
      expectLimits(limits!, thetas, context, type);
    }
  });
});

it("angles below the smallest float16 never move", () => {
  using rope = ropewalk.rope(ropes["base 1e9, below the smallest float16"]!);
  const { numbers } = rope.explain({ context: 4096, type: "float16" }).limits!;
  // The first whose step rounds to 0: 10^(-9 * 27 / 32) is below 2^-25, 10^(-9 * 26 / 32) is not.
  expect(numbers.collapse).toEqual({ pair: 27, position: 0 });
});

it("in float32 the fastest pair collapses where positions do, and others by their mantissa", () => {
  using rope = ropewalk.rope({ headDim: 4, frequencies: { type: "custom", frequencies: [1, 0.7] } });
  const { numbers } = rope.explain({ context: 10, type: "float32" }).limits!;
  const of = (theta: number) => firstFrom(0, 2 ** 25, (m) => Math.fround(m * theta) === Math.fround((m + 1) * theta));
  expect(of(1)).toBe(2 ** 24);
  const positions = [1, 0.7].map(of);
  expect(numbers.collapse!.position).toBe(Math.min(...positions));
});

it("the two papers' bounds of a base follow", () => {
  // Slowest pair 1 / base: aliasing at 2 pi base, and cos((L - 1) / base) for stability.
  using rope = ropewalk.rope({ headDim: 8, frequencies: { type: "custom", frequencies: [1, 0.1, 0.01, 1 / 5000] } });
  const { slowest } = rope.explain({ context: 4001, type: "float32" }).limits!;
  expect(slowest!.alias).toBe(Math.round(2 * Math.PI * 5000));
  expect(slowest!.cosine).toBeCloseTo(Math.cos(0.8), 12);
});

it("is asked for with a context, and refuses types that it does not know", () => {
  using rope = ropewalk.rope({ headDim: 8 });
  expect(rope.explain({ context: 100 }).limits).toBeUndefined();
  expect(() => rope.explain({ type: "bfloat16" })).toThrow(
    "explain: `context` is undefined; allowed: a number beside `type`",
  );
  expect(() => rope.explain({ context: 8, type: "int8" as DType })).toThrow(
    'explain: `type` is "int8"; allowed: "float32", "float16", "bfloat16"',
  );
  using still = ropewalk.rope({ headDim: 4, frequencies: { type: "custom", frequencies: [0, 0] } });
  const { limits } = still.explain({ context: 8, type: "bfloat16" });
  expect(limits!.slowest).toBeUndefined();
  expect(limits!.similarity).toBe(Infinity);
  expect(limits!.text).toContain("No pair turns");
});

const config = {
  model_type: "llama",
  hidden_size: 4096,
  num_attention_heads: 32,
  max_position_embeddings: 4096,
  rope_theta: 10000,
};

it("checkRope says the limits of what the strictest reader reads", () => {
  expect(checkRope({ config }, {}).limits).toBeUndefined();
  const { limits, code } = checkRope({ config }, { type: "bfloat16" });
  using rope = ropewalk.rope({ headDim: 128, pairing: "half" });
  expect(code).toBe(0);
  expect(limits).toEqual([rope.explain({ context: 4096, type: "bfloat16" }).limits]);
  const at = checkRope({ config }, { type: "bfloat16", context: 512 }).limits![0]!;
  expect(at.context).toBe(512);
  const theta = [1, 0.1, 0.01];
  const ofTable = checkRope({ inverseFrequencies: theta }, { type: "float16", context: 1000 }).limits!;
  expectLimits(ofTable[0]!, theta, 1000, "float16");
  expect(() => checkRope({ config }, { type: "half" as DType })).toThrow("checkRope: `type` is");
});

it("of each type of layers", () => {
  const gemma = {
    ...config,
    model_type: "gemma3_text",
    rope_local_base_freq: 10000,
    rope_theta: 1_000_000,
    sliding_window: 512,
  };
  const { limits } = checkRope({ config: gemma }, { type: "bfloat16" });
  expect(new Set(limits!.map(({ layerType }) => layerType)).size).toBe(limits!.length);
  expect(limits!.length).toBe(2);
});
