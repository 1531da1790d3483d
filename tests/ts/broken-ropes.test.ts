/** Files as people break them, held to what Transformers did with them (tests/fixtures/broken-ropes.json). */
import { checkRope, load } from "ropewalk";
import { describe, expect, it } from "vitest";
import { readJson } from "./files.js";

await load({ analysis: true });

interface Broken {
  name: string;
  config: object;
  code: number;
  key?: string;
  "transformers-4"?: string;
  "transformers-5"?: string;
}
const { configs } = readJson<{ configs: Broken[] }>("tests/fixtures/broken-ropes.json");

describe.each(configs)("$name", ({ config, code, key, ...did }) => {
  const report = checkRope({ config });

  it("is read by the releases of Transformers that read it", () => {
    for (const reader of ["transformers-4", "transformers-5"] as const) {
      const reads = report.readings.some((each) => each.reader === reader);
      if (did[reader] !== undefined) expect([reader, reads]).toEqual([reader, did[reader] === "reads"]);
    }
  });

  it("has the code, and names the key to change", () => {
    expect(report.code, report.verdict).toBe(code);
    if (key === undefined) return;
    expect(report.problems.map((each) => each.key)).toContain(key);
    expect(report.verdict).toContain(`\`${key}\``);
  });
});

it("names a length to start with that is a number, where the file has none", () => {
  const config = configs.find(({ name }) => name === "long-su")!.config as Record<string, unknown>;
  const { original_max_position_embeddings: _, ...rest } = config;
  const { verdict } = checkRope({
    config: { ...rest, rope_scaling: { ...(config.rope_scaling as object), type: "longrope" } },
  });
  expect(verdict).toContain("--max-model-len 4096");
});

it("says of two keys that contradict each other which to leave out", () => {
  const config = { model_type: "llama", head_dim: 128, max_position_embeddings: 8192, rope_theta: 500000 };
  const bases = checkRope({ config: { ...config, rope_scaling: { rope_type: "linear", factor: 2, rope_theta: 1e4 } } });
  expect(bases.verdict).toContain("`rope_theta`: it is 500000 at the top level and 10000 in `rope_scaling`");
  const names = checkRope({ config: { ...config, rope_scaling: { rope_type: "default", type: "linear", factor: 2 } } });
  expect(names.verdict).toContain("`rope_scaling.type`: leave it out");
});
