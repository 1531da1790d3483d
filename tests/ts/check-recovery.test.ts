/** From a table of frequencies back to the rule and the base that made it, to 1e-6, with random parameters. */
import fc from "fast-check";
import { checkRope, type Frequencies, load, type RopeReport } from "ropewalk";
import { describe, expect, it } from "vitest";

const ropewalk = await load({ analysis: true });

type Table = NonNullable<RopeReport["table"]>;
interface Scene {
  pairs: number;
  frequencies: Frequencies;
}

/** Spread evenly over the orders of magnitude. */
const spread = (min: number, max: number) =>
  fc.double({ min: Math.log(min), max: Math.log(max), noNaN: true }).map(Math.exp);
const base = spread(100, 1e8);
const factor = spread(1.1, 64);
/** A scene with this many pairs, and a rule of these parameters. */
const scene = <T>(rule: fc.Arbitrary<T>) => fc.record({ pairs: fc.integer({ min: 8, max: 128 }), frequencies: rule });

function thetaOf({ pairs, frequencies }: Scene): number[] {
  using rope = ropewalk.rope({ headDim: 2 * pairs, frequencies });
  return Array.from(rope.frequencies);
}

function explained(theta: readonly number[]): Table {
  const { code, table } = checkRope({ inverseFrequencies: theta }, {});
  expect(code).toBe(0);
  return table!;
}

function expectNear(found: unknown, wanted: number, what: string): void {
  expect(Math.abs((found as number) / wanted - 1), `${what}: ${found} for ${wanted}`).toBeLessThanOrEqual(1e-6);
}

/** Holds for every scene, with the rule, the base and the options that the frequencies alone determine. */
function recovers<T extends Frequencies>(
  scenes: fc.Arbitrary<{ pairs: number; frequencies: T }>,
  wanted: (frequencies: T, pairs: number) => { rule: string; base: number; options?: Record<string, number> },
): void {
  fc.assert(
    fc.property(scenes, ({ pairs, frequencies }) => {
      const { rule, base, options = {} } = wanted(frequencies, pairs);
      const table = explained(thetaOf({ pairs, frequencies }));
      expect(table.rule).toBe(rule);
      expectNear(table.base, base, "base");
      for (const [name, value] of Object.entries(options))
        expectNear((table.options as Record<string, unknown>)[name], value, name);
    }),
  );
}

/** How many pairs a rule keeps, blends and divides by its factor. */
function parts(theta: readonly number[], own: number, factor: number) {
  const share = theta.map((each, j) => each / own ** (-j / theta.length));
  const is = (value: number) => (each: number) => Math.abs(each / value - 1) < 1e-9;
  const [kept, divided] = [share.filter(is(1)).length, share.filter(is(1 / factor)).length];
  return { kept, divided, blended: theta.length - kept - divided };
}

describe("rules that have a table of their own", { timeout: 600_000 }, () => {
  it("default", () => {
    const rule = base.map((base) => ({ type: "default" as const, base }));
    recovers(scene(rule), ({ base }) => ({ rule: "default", base }));
  });

  it("linear", () => {
    const rule = fc.record({ type: fc.constant("linear" as const), base, factor });
    recovers(scene(rule), ({ base, factor }) => ({ rule: "linear", base, options: { factor } }));
  });

  it("ntk-mixed", () => {
    const mixedB = fc.double({ min: 0.1, max: 2.5, noNaN: true }).filter((b) => Math.abs(b - 1) > 1e-3);
    const rule = fc.record({ type: fc.constant("ntk-mixed" as const), base, factor, mixedB });
    recovers(scene(rule), ({ base, factor, mixedB }) => ({
      rule: "ntk-mixed",
      base,
      options: { factor, mixed_b: mixedB },
    }));
  });

  it("receptive-field", () => {
    const alpha = fc.double({ min: 0.01, max: 0.95, noNaN: true });
    const rho = fc.double({ min: 0.1, max: 1.6, noNaN: true });
    const rule = fc.record({ type: fc.constant("receptive-field" as const), base, alpha, rho });
    recovers(scene(rule), ({ base, alpha, rho }) => ({ rule: "receptive-field", base, options: { alpha, rho } }));
  });

  it("proportional, where some pairs stand still and at least two move", () => {
    const moving = fc.integer({ min: 2, max: 7 });
    const scenes = fc.record({ pairs: fc.integer({ min: 8, max: 128 }), moving, base, factor }).map((given) => ({
      pairs: given.pairs,
      frequencies: {
        type: "proportional" as const,
        base: given.base,
        factor: given.factor,
        fraction: (given.moving + 0.25) / given.pairs,
      },
    }));
    recovers(scenes, ({ base, factor, fraction }, pairs) => ({
      rule: "proportional",
      base,
      options: { factor, partial_rotary_factor: Math.floor(fraction * pairs) / pairs },
    }));
  });

  // The base follows from two pairs that are kept, or three that are divided. Which of the two rules it is, and the
  // ends of its ramp, follow from three blended pairs; YaRN with ends at whole pairs needs one. The factor follows from
  // two divided pairs.
  const original = fc.integer({ min: 1024, max: 131072 });

  it("yarn", () => {
    const rule = fc.record({
      type: fc.constant("yarn" as const),
      base: spread(1000, 1e8),
      factor,
      originalMaxPositions: original,
      truncate: fc.boolean(),
    });
    fc.assert(
      fc.property(scene(rule), ({ pairs, frequencies }) => {
        const theta = thetaOf({ pairs, frequencies });
        const { kept, blended, divided } = parts(theta, frequencies.base, frequencies.factor);
        fc.pre(kept >= 2 || divided >= 3);
        const table = explained(theta);
        expectNear(table.base, frequencies.base, "base");
        if (blended >= (frequencies.truncate && divided > 0 ? 1 : 3)) expect(table.rule).toBe("yarn");
        if (divided >= 2 && blended > 0)
          expectNear((table.options as { factor: number }).factor, frequencies.factor, "factor");
      }),
    );
  });

  it("llama3", () => {
    const rule = fc
      .record({
        base: spread(1000, 1e8),
        factor,
        lowFrequencyFactor: fc.constantFrom(1, 2),
        ratio: spread(1.5, 32),
        originalMaxPositions: original,
      })
      .map(({ ratio, ...rest }) => ({
        type: "llama3" as const,
        ...rest,
        highFrequencyFactor: rest.lowFrequencyFactor * ratio,
      }));
    fc.assert(
      fc.property(scene(rule), ({ pairs, frequencies }) => {
        const theta = thetaOf({ pairs, frequencies });
        const { kept, blended, divided } = parts(theta, frequencies.base, frequencies.factor);
        fc.pre(kept >= 2 || divided >= 3);
        const table = explained(theta);
        expectNear(table.base, frequencies.base, "base");
        if (blended < 3) return;
        expect(table.rule).toBe("llama3");
        const { originalMaxPositions, highFrequencyFactor, lowFrequencyFactor } = frequencies;
        const options = table.options as Record<string, number>;
        if (divided < 2) return;
        expectNear(options.factor, frequencies.factor, "factor");
        expectNear(options.shortWavelength, originalMaxPositions / highFrequencyFactor, "shortWavelength");
        expectNear(options.longWavelength, originalMaxPositions / lowFrequencyFactor, "longWavelength");
      }),
    );
  });
});

describe("rules whose table is that of another rule", () => {
  /** The base that NTK-aware scaling makes of another. */
  const grown = (base: number, factor: number, pairs: number) => base * factor ** (pairs / (pairs - 1));

  it("ntk is default with a larger base", () => {
    const rule = fc.record({ type: fc.constant("ntk" as const), base, factor });
    recovers(scene(rule), ({ base, factor }, pairs) => ({ rule: "default", base: grown(base, factor, pairs) }));
  });

  it("dynamic is default with a base that follows the length", () => {
    const rule = fc.record({
      type: fc.constant("dynamic" as const),
      base,
      factor,
      maxPositions: fc.integer({ min: 512, max: 8192 }),
      sequenceLength: fc.integer({ min: 1, max: 65536 }),
    });
    recovers(scene(rule), ({ base, factor, maxPositions, sequenceLength }, pairs) => {
      const times = factor * (Math.max(sequenceLength, maxPositions) / maxPositions) - (factor - 1);
      return { rule: "default", base: grown(base, times, pairs) };
    });
  });

  it("ntk-su is linear with a larger base, from which factor and base follow", () => {
    const rule = fc.record({ type: fc.constant("ntk-su" as const), base, factor });
    recovers(scene(rule), ({ base, factor }, pairs) => ({
      rule: "linear",
      base: base * factor,
      options: { factor: factor ** (1 / pairs) },
    }));
  });
});

describe("rules with a free number for each pair, which explain every table", () => {
  it("longrope is recognised beside its configuration alone", () => {
    const divisors = fc.array(spread(1, 60), { minLength: 16, maxLength: 16 });
    fc.assert(
      fc.property(base, divisors, divisors, (base, short, long) => {
        const config = {
          model_type: "phi3",
          hidden_size: 128,
          num_attention_heads: 4,
          max_position_embeddings: 131072,
          original_max_position_embeddings: 4096,
          rope_theta: base,
          rope_scaling: { type: "longrope", short_factor: short, long_factor: long },
        };
        const inverseFrequencies = long.map((each, j) => base ** (-j / 16) / each);
        const { code, table } = checkRope({ config, inverseFrequencies }, { readers: ["transformers-5"] });
        expect([code, table?.rule]).toEqual([0, "longrope"]);
        expectNear(table?.base, base, "base");
      }),
    );
  });

  it("custom is no rule: the verdict says that none explains the table", () => {
    const values = Array.from({ length: 16 }, (_, j) => Math.exp(-j - Math.sin(j)));
    const theta = thetaOf({ pairs: 16, frequencies: { type: "custom", frequencies: values } });
    expect(checkRope({ inverseFrequencies: theta }, {}).verdict).toMatch(/^No known rule explains the table/);
  });
});
