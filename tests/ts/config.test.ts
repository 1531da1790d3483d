/** Configurations as models publish them, read by ropeOptionsFromConfig and explained by the rope they give. */
import { cpSync, readdirSync } from "node:fs";
import { load, ropeOptionsFromConfig } from "ropewalk";
import { describe, expect, it } from "vitest";
import { fromRoot, readJson } from "./files.js";
import { readGolden } from "./golden.js";

const ropewalk = await load({ analysis: true });

interface FrequencyCase {
  name: string;
  config: object;
  seq_len: number | null;
  rotary_dim: number;
  frequencies: number[];
  attention_factor: number;
}

describe("golden frequencies", () => {
  const { cases } = readGolden<{ cases: FrequencyCase[] }>("rope/frequencies.json");

  it.each(cases)("$name", ({ config, seq_len, rotary_dim, frequencies, attention_factor }) => {
    const options = ropeOptionsFromConfig(config, { sequenceLength: seq_len ?? undefined });
    using rope = ropewalk.rope(options);
    expect(rope.rotaryDim).toBe(rotary_dim);
    expect(rope.magnitude).toBeCloseTo(attention_factor, 12);
    expect(rope.frequencies.length).toBe(frequencies.length);
    rope.frequencies.forEach((theta, j) => {
      expect(Math.abs(theta - frequencies[j]!)).toBeLessThanOrEqual(1e-12 * Math.abs(frequencies[j]!));
    });
  });
});

const fixture = (name: string) => readJson<Record<string, unknown>>(`tests/fixtures/configs/${name}`);

describe("published configurations", () => {
  const names = readdirSync(fromRoot("tests/fixtures/configs")).filter((name) => name.endsWith(".json"));

  it.each(names)("%s makes a rope that rotates", (name) => {
    const config = fixture(name);
    const read = (layerType?: string) => ropeOptionsFromConfig(config, { sequenceLength: 8192, layerType });
    const types = name.startsWith("gemma") ? ["full_attention", "sliding_attention"] : [undefined];
    for (const layerType of types) {
      const options = read(layerType);
      using rope = ropewalk.rope(options);
      expect(rope.explain().text).toContain(`Rule "${options.frequencies?.type}"`);
      const x = new Float32Array(options.headDim).fill(1);
      // The first channel inside the rotated window is that of the first pair, whatever the pairing.
      const y = rope.rotate(x, { sequence: 1, heads: 1, positions: [1] });
      const theta = rope.frequencies[0]!;
      expect(y[options.rotaryOffset ?? 0]).toBeCloseTo(rope.magnitude * (Math.cos(theta) - Math.sin(theta)), 6);
    }
  });

  it("Llama 3.1: what it says", () => {
    const options = ropeOptionsFromConfig(fixture("llama-3.1-8b.json"));
    expect(options).toEqual({
      headDim: 128,
      rotaryDim: 128,
      pairing: "half",
      frequencies: {
        type: "llama3",
        base: 500000,
        factor: 8,
        lowFrequencyFactor: 1,
        highFrequencyFactor: 4,
        originalMaxPositions: 8192,
      },
    });
    using rope = ropewalk.rope(options);
    const { text, pairs, magnitude } = rope.explain({ context: 131072 });
    for (const fact of ["128 channels", "64 pairs (j, j + 64)", "8192", "131072", "divided by 8", "kept", "blended"]) {
      expect(text).toContain(fact);
    }
    expect(magnitude).toBe(1);
    expect(pairs.length).toBe(64);
    expect(pairs[0]).toMatchObject({ axis: 0, head: 0, pair: 0, theta: 1, scaledBy: 1, band: "kept" });
    expect(pairs[63]!.scaledBy).toBeCloseTo(1 / 8, 12);
    expect(pairs.map(({ theta }) => theta)).toEqual(Array.from(rope.frequencies));
    expect(pairs.map(({ wavelength }) => wavelength)).toEqual(Array.from(rope.wavelengths));
  });

  it("YaRN: where the magnitude comes from", () => {
    using rope = ropewalk.rope(ropeOptionsFromConfig(fixture("gpt-oss-20b.json")));
    const { text, magnitude, magnitudeSource, pairs } = rope.explain();
    expect(magnitude).toBeCloseTo(0.1 * Math.log(32) + 1, 12);
    expect(magnitudeSource).toBe("0.1 ln(factor) + 1");
    expect(text).toContain("0.1 ln(factor) + 1");
    expect(text).toContain("4096");
    expect(new Set(pairs.map(({ band }) => band))).toEqual(new Set(["kept", "on the ramp", "divided by factor"]));
  });

  it("M-RoPE: its axes", () => {
    expect(ropeOptionsFromConfig(fixture("qwen2-vl-7b.json")).axes).toEqual({
      sections: [16, 24, 24],
      order: "chunked",
    });
    const { axes } = ropeOptionsFromConfig(fixture("qwen3-vl-8b.json"));
    expect(axes?.order).toBe("interleaved");
  });

  it("pairs that stand still have an infinite wavelength", () => {
    const config = fixture("gemma-4-31b.json");
    const options = ropeOptionsFromConfig(config, { layerType: "full_attention" });
    using rope = ropewalk.rope(options);
    const last = rope.explain().pairs.at(-1)!;
    expect([last.theta, last.wavelength]).toEqual([0, Number.POSITIVE_INFINITY]);
  });
});

describe("errors", () => {
  const llama = { head_dim: 64, rope_theta: 10000 };
  const wrong = <T>(value: unknown): T => value as T;
  const yarn = { rope_type: "yarn", factor: 4, original_max_position_embeddings: 4096 };

  it.each<[string, () => unknown, ErrorConstructor, ...string[]]>([
    [
      "a misspelt key keeps its spelling",
      () => ropeOptionsFromConfig({ ...llama, rope_scaling: { ...yarn, beta_fats: 3 } }),
      TypeError,
      "ropeOptionsFromConfig",
      "`rope_scaling.beta_fats`",
      "did you mean `rope_scaling.beta_fast`",
    ],
    [
      "an unknown rule",
      () => ropeOptionsFromConfig({ ...llama, rope_scaling: { type: "yarm" } }),
      RangeError,
      '"yarm"',
    ],
    [
      "a length that is needed",
      () =>
        ropeOptionsFromConfig({
          ...llama,
          max_position_embeddings: 2048,
          rope_scaling: { type: "dynamic", factor: 2 },
        }),
      TypeError,
      "`sequenceLength` is missing",
    ],
    ["a length of 0", () => ropeOptionsFromConfig(llama, { sequenceLength: 0 }), RangeError, "`sequenceLength` is 0"],
    [
      "a length as text",
      () => ropeOptionsFromConfig(llama, { sequenceLength: wrong("9") }),
      TypeError,
      '`sequenceLength` is "9"',
    ],
    ["an empty type of layers", () => ropeOptionsFromConfig(llama, { layerType: "" }), TypeError, '`layerType` is ""'],
    ["no configuration", () => ropeOptionsFromConfig(wrong(null)), TypeError, "`config` is null", "an object"],
    ["an array", () => ropeOptionsFromConfig([]), TypeError, "`config` is an array"],
    ["NaN", () => ropeOptionsFromConfig({ ...llama, rope_theta: Number.NaN }), RangeError, "`rope_theta` is NaN"],
    ["no head", () => ropeOptionsFromConfig({ rope_theta: 10000 }), TypeError, "`head_dim`"],
  ])("%s", (_, call, type, ...words) => {
    expect(call).toThrow(type);
    for (const word of words) expect(call).toThrow(word);
  });
});

it("before load(), and without the analysis, the functions say what to do", async () => {
  // A copy of the package of its own, which nobody has loaded.
  const folder = fromRoot("build/unloaded");
  cpSync(fromRoot("dist"), folder, { recursive: true });
  const other = (await import(/* @vite-ignore */ `${folder}/node.js`)) as {
    load: typeof load;
    ropeOptionsFromConfig: typeof ropeOptionsFromConfig;
  };
  const read = () => other.ropeOptionsFromConfig({ head_dim: 64 });
  expect(read).toThrow("ropeOptionsFromConfig: call and await load() first");
  const small = await other.load();
  expect(read).toThrow("ropeOptionsFromConfig: call and await load({ analysis: true }) first");
  using rope = small.rope({ headDim: 4 });
  expect(() => rope.explain()).toThrow("explain: call and await load({ analysis: true }) first");
  expect(rope.rotate(Float32Array.of(1, 0, 1, 0), { sequence: 1, heads: 1 })).toEqual(Float32Array.of(1, 0, 1, 0));
  await expect(other.load({ analysis: "no" as unknown as boolean })).rejects.toThrow("load: `analysis` is");
  await other.load({ analysis: true });
  expect(read()).toMatchObject({ headDim: 64 });
});

it("refuses an option that it does not have", () => {
  const config = { model_type: "llama", head_dim: 64 };
  expect(() => ropeOptionsFromConfig(config, { layer_type: "full_attention" } as never)).toThrow(
    "ropeOptionsFromConfig: unknown option `layer_type`; did you mean `layerType`?",
  );
});

it("takes SmolLM2's configuration as published, with a key that no library reads", () => {
  const llama = { model_type: "llama", hidden_size: 576, num_attention_heads: 9, max_position_embeddings: 8192 };
  const published = { ...llama, rope_theta: 100000, rope_scaling: null };
  expect(ropeOptionsFromConfig({ ...published, rope_interleaved: false })).toEqual(ropeOptionsFromConfig(published));
});
