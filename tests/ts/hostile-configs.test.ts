/** Numbers without bound in a configuration: each is answered, by a report or by an error that names a function. */
import { checkRope, load } from "ropewalk";
import { describe, expect, it } from "vitest";
import { answers } from "./changed-files.js";

await load({ analysis: true });

const NUMBERS = [1e308, 1e300, 1e17, 2 ** 53, 1e-17, 1e-300, 5e-324, 0, -1, -1e308];
const TYPES = ["linear", "dynamic", "yarn", "llama3", "longrope", "ntk"];

const sizes = { model_type: "llama", hidden_size: 64, num_attention_heads: 4, max_position_embeddings: 4096 };
const scaled = (rope_type: string, factor: number) => ({
  ...sizes,
  rope_theta: 10000,
  rope_scaling: {
    rope_type,
    factor,
    low_freq_factor: 1,
    high_freq_factor: 4,
    original_max_position_embeddings: 1024,
    short_factor: new Array(8).fill(1),
    long_factor: new Array(8).fill(factor),
  },
});

/** A report in which every number is one, or an error that names the function. */
async function answered(...subject: Parameters<typeof checkRope>): Promise<void> {
  const report = await answers(["checkRope"], () => checkRope(...subject));
  if (report !== undefined) expect(report.verdict).toMatch(/^(?!.*\b(?:NaN|undefined)\b)./s);
}

describe.each(NUMBERS)("%d", (number) => {
  it.each(TYPES)("as factor of %s", async (type) => {
    await answered({ config: scaled(type, number) });
  });

  it("as base", async () => {
    await answered({ config: { ...sizes, rope_theta: number } });
  });

  it.each(["float32", "float16", "bfloat16"] as const)("as a frequency, whose limits are asked in %s", async (type) => {
    await answered({ inverseFrequencies: [number, 1] }, { type });
  });
});

it("angles collapse at the same position for frequencies that a power of two parts", () => {
  const at = (theta: number) => {
    const { limits } = checkRope({ inverseFrequencies: [theta] }, { type: "bfloat16" });
    return limits![0]!.numbers.collapse!.position;
  };
  expect(at(2 ** 600)).toBe(at(2 ** 100));
  expect(at(2 ** 100)).toBeGreaterThan(100);
});
