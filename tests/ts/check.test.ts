/** The checker, held to what the readers' own code computed (tests/golden/readers). */
import { checkRope, load, type Reader, type RopeReport } from "ropewalk";
import { describe, expect, it } from "vitest";
import { factRows } from "../../tools/options/typescript.mjs";
import { readGolden } from "./golden.js";

await load({ analysis: true });

type Numbers = (number | string)[];

interface GoldenReading {
  base: number;
  rule: string;
  frequencies: number[];
  magnitude: number;
  pairing: string;
  layers_without_rotation?: number[];
  softmax_scale_times?: number;
}

interface GoldenReport {
  config: string;
  context: number;
  layerType: string | null;
  readings: Record<string, GoldenReading>;
  refused: Record<string, string>;
  differences: {
    a: Reader;
    b: Reader;
    firstPair: number;
    turnsAtContext: number;
    tokensUntilTenthRadian: number | null;
  }[];
  codes: { readers: Reader[]; code: number }[];
}

interface GoldenTable {
  name: string;
  config: object | null;
  reader: Reader | null;
  inverseFrequencies?: Numbers;
  row?: { cos: Numbers; sin: Numbers; position: number };
  expected: {
    code: number;
    rule?: string | null;
    base?: number | null;
    baseAsDefault?: number | null;
    options?: Record<string, unknown> | null;
    alsoAccepted?: string[];
    equivalents?: { rule: string; base: number; options: Record<string, unknown> }[];
    tolerance?: number | null;
    parameterTolerance?: number | null;
    magnitude?: number;
    mentions?: string[];
  };
}

const { configs } = readGolden<{ configs: { name: string; config: object }[] }>("readers/configs.json");
const { reports } = readGolden<{ reports: GoldenReport[] }>("readers/reports.json");
const { tables } = readGolden<{ tables: GoldenTable[] }>("readers/tables.json");
const configOf = (name: string) => configs.find((each) => each.name === name)!.config;

const near = (a: number, b: number, tolerance: number) =>
  a === b || Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b));
const expectNear = (a: number, b: number, tolerance: number, what: string) =>
  expect(near(a, b, tolerance), `${what}: ${a} for ${b}`).toBe(true);

const EMULATED: Reader[] = [
  "transformers-4",
  "transformers-5",
  "getattr-legacy",
  "llama.cpp",
  "remote-gte",
  "remote-nomic",
];

describe("configurations, as each reader's own code reads them", () => {
  it.each(
    reports.map((report) => [`${report.config} at ${report.context} ${report.layerType ?? ""}`, report] as const),
  )("%s", (_, golden) => {
    const config = configOf(golden.config);
    const options = {
      context: golden.context,
      ...(golden.layerType === null ? {} : { layerType: golden.layerType }),
    };
    const report = checkRope({ config }, { ...options, readers: EMULATED });
    expect(report.readings.map(({ reader }) => reader).sort()).toEqual(Object.keys(golden.readings).sort());
    for (const reading of report.readings) {
      const wanted = golden.readings[reading.reader]!;
      expect(reading.rule).toBe(wanted.rule);
      expect(reading.pairing).toBe(wanted.pairing);
      expectNear(reading.base, wanted.base, 1e-15, "base");
      expectNear(reading.magnitude, wanted.magnitude, 1e-12, "magnitude");
      expect(reading.frequencies.length).toBe(wanted.frequencies.length);
      wanted.frequencies.forEach((theta, j) => {
        expectNear(reading.frequencies[j]!, theta, 1e-12, `${reading.reader} theta ${j}`);
      });
      expect(reading.layersWithoutRotation ?? []).toEqual(wanted.layers_without_rotation ?? []);
      expectNear(reading.softmaxScale ?? 1, wanted.softmax_scale_times ?? 1, 1e-12, "softmax scale");
      expect(reading.source).toContain("emulated");
    }
    expect(report.refusals.map(({ reader }) => reader).sort()).toEqual(Object.keys(golden.refused).sort());
    for (const { reader, message } of report.refusals) expect(message).toContain(golden.refused[reader]!.split(":")[0]);
    expect(report.differences.length).toBe(golden.differences.length);
    golden.differences.forEach((wanted) => {
      const found = report.differences.find(({ a, b }) => a === wanted.a && b === wanted.b);
      expect(found, `${wanted.a} and ${wanted.b}`).toBeDefined();
      expect(found!.firstPair).toBe(wanted.firstPair);
      expectNear(found!.turnsAtContext, wanted.turnsAtContext, 1e-9, "turns");
      expect(found!.tokensUntilTenthRadian).toBe(wanted.tokensUntilTenthRadian ?? Number.POSITIVE_INFINITY);
    });
    for (const { readers, code } of golden.codes) {
      const part = checkRope({ config }, { ...options, readers });
      expect(part.code).toBe(code);
      expect(part.status).toBe(code === 0 ? "agree" : "readers-disagree");
    }
  });

  it("takes the context from the configuration", () => {
    for (const golden of reports.slice(0, 3)) {
      const [by, without] = [{ context: golden.context }, {}].map((options) =>
        checkRope({ config: configOf(golden.config) }, options),
      );
      expect(without).toEqual(by);
    }
  });
});

/** The explanation of a table must be one of those that the golden file accepts. */
function expectExplained(table: NonNullable<RopeReport["table"]>, golden: GoldenTable["expected"]): void {
  const { rule, base, baseAsDefault, options, alsoAccepted = [], equivalents = [] } = golden;
  expect(table.error).toBeLessThanOrEqual(golden.tolerance!);
  const tolerance = golden.parameterTolerance ?? 1e-6;
  const accepted = [{ rule, base, options }, ...equivalents].find((each) => each.rule === table.rule);
  if (accepted === undefined) {
    expect(alsoAccepted).toContain(table.rule);
    if (table.rule === "default" && baseAsDefault) expectNear(table.base, baseAsDefault, tolerance, "base");
    return;
  }
  if (accepted.base) expectNear(table.base, accepted.base, tolerance, "base");
  for (const [name, value] of Object.entries(accepted.options ?? {})) {
    const found = (table.options as Record<string, unknown>)[name];
    if (typeof value === "number") expectNear(found as number, value, tolerance, name);
    else expect(found).toEqual(value);
  }
}

describe("tables", () => {
  it.each(tables.map((table) => [table.name, table] as const))("%s", (_, { config, reader, expected, ...table }) => {
    const inverseFrequencies = table.inverseFrequencies?.map(Number);
    const row = table.row && {
      cos: table.row.cos.map(Number),
      sin: table.row.sin.map(Number),
      position: table.row.position,
    };
    const subject = {
      ...(config === null ? {} : { config }),
      ...(inverseFrequencies === undefined ? {} : { inverseFrequencies }),
      ...(row === undefined ? {} : { row }),
    };
    const report = checkRope(subject, reader === null ? {} : { readers: [reader] });
    expect(report.code, report.verdict).toBe(expected.code);
    for (const word of expected.mentions ?? []) expect(report.verdict.toLowerCase()).toContain(word.toLowerCase());
    if (expected.rule && expected.code !== 5) expectExplained(report.table!, expected);
  });
});

describe("what no reader knows is refused by name", () => {
  const sizes = { hidden_size: 1536, num_attention_heads: 12, num_hidden_layers: 4, rope_theta: 10000 };
  const known = ["dinov3_vit", "pixtral"];
  const { types } = readGolden<{ types: { model_type: string; config: object }[] }>("transformers-ropes/types.json");
  const rows = factRows().map((line) => JSON.parse(line) as { type?: string; axes?: boolean });
  const several = rows.flatMap(({ type, axes }) => (axes && type ? [type] : []));

  it.each([...several, "moonvit", "ernie4_5_moe_vl", "bailingmm_moe_v2_lite", "glm_vision_x"])("%s", (name) => {
    for (const config of [
      { model_type: name, ...sizes },
      { model_type: "outer", text_config: { model_type: name, ...sizes } },
      ...types.filter((each) => each.model_type === name).map((each) => each.config),
    ]) {
      const { code, readings, verdict } = checkRope({ config });
      if (known.includes(name)) {
        expect(readings.map(({ reader }) => reader)).toEqual("text_config" in config ? [] : ["ropewalk"]);
      } else {
        expect([code, readings], verdict).toEqual([6, []]);
        expect(verdict).toContain(`"${name}"`);
      }
    }
  });

  it.each(["Mochi", "Cosmos", "LTXVideo"])("a transformer of diffusers: %s", (name) => {
    const _class_name = `${name}Transformer3DModel`;
    const { code, readings, verdict } = checkRope({ config: { _class_name, ...sizes } });
    expect([code, readings]).toEqual([6, []]);
    expect(verdict).toContain(_class_name);
  });

  it.each(["clip", "ernie4_5-vl", "foo"])("a GGUF file of the architecture %s", (name) => {
    const config = {
      "general.architecture": name,
      [`${name}.embedding_length`]: 64,
      [`${name}.attention.head_count`]: 2,
    };
    for (const options of [{}, { readers: ["llama.cpp"] as Reader[] }]) {
      const { code, readings, verdict } = checkRope({ config }, options);
      expect([code, readings]).toEqual([6, []]);
      expect(verdict).toContain(`"${name}"`);
    }
  });

  it("a transformer with the keys of Meta's params.json, but axes", () => {
    const config = { dim: 3840, n_heads: 30, rope_theta: 256, axes_dims: [32, 48, 48] };
    expect(checkRope({ config }).code).toBe(6);
    const { readings } = checkRope({ config: { ...config, _class_name: "ZImageTransformer2DModel" } });
    expect(readings.map(({ reader }) => reader)).toEqual(["ropewalk"]);
  });

  it("reads the transformers of diffusers that it knows, and no other reader does", () => {
    const config = { _class_name: "ZImageTransformer2DModel", axes_dims: [32, 48, 48], ...sizes, rope_theta: 256 };
    const { code, readings } = checkRope({ config });
    expect([code, readings.map(({ reader, base, pairing }) => [reader, base, pairing])]).toEqual([
      0,
      [["ropewalk", 256, "interleaved"]],
    ]);
    expect(readings[0]!.frequencies[16]).toBe(1);
  });
});
