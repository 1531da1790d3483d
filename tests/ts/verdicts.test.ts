/** The verdict, held to what seven libraries' own code made of published and of broken configurations. */
import { readFileSync } from "node:fs";
import { checkRope, load, type Reader, type RopeSubject, readRopeConfig } from "ropewalk";
import { describe, expect, it } from "vitest";
import { readers } from "../../web/pages/doctor/readers.js";
import { fromRoot } from "./files.js";
import { readGolden } from "./golden.js";

await load({ analysis: true });

interface Differing {
  reader: Reader;
  layers: Record<string, { firstPair?: number; fromToken?: number }>;
  when?: string;
  key?: string;
}
interface Verdict {
  config: string;
  answer: string;
  exit: number | string;
  readers?: Reader[];
  refuse?: Record<string, string>;
  differ?: Differing[];
  subject?: RopeSubject;
  key?: string | null;
  paste?: string | null;
  mentions?: string[];
}

const { configs } = readGolden<{ configs: { name: string; config: object }[] }>("readers-2/configs.json");
const { verdicts } = readGolden<{ verdicts: Verdict[] }>("readers-2/verdicts.json");
const configOf = (name: string) => configs.find((each) => each.name === name)!.config;

/** Texts that no file says: what another file of the golden folder has in this place. */
const NOT_IN_THE_FILE = ["base-negative", "factor-zero", "scaling-string", "original-missing"];

describe.each(verdicts)("$config: $answer", (golden) => {
  const { config, answer, subject, differ = [], mentions = [], key, paste } = golden;
  const readers = [...(golden.readers ?? []), ...Object.keys(golden.refuse ?? {})] as Reader[];
  const report = checkRope(subject ?? { config: configOf(config) }, readers.length > 0 ? { readers } : {});
  const { code, status, verdict, outliers, problems, fix } = report;

  it("has the code", () => {
    expect(code, verdict).toBe(answer === "refused" ? 6 : golden.exit);
    if (answer === "refused") expect(status).toBe("refused");
  });

  it("says what is wrong, with the key and the text to paste", () => {
    if (answer === "refused") expect(verdict).toMatch(/^Refused: /);
    else expect(verdict).not.toMatch(/^Refused: /);
    for (const word of mentions) expect(verdict).toContain(word);
    if (answer === "refused") expect(fix).toBeUndefined();
    if (!key || subject) return;
    expect(problems.map((each) => each.key)).toContain(key);
    const problem = problems.find((each) => each.key === key)!;
    if (paste && !NOT_IN_THE_FILE.includes(config))
      expect(JSON.parse(`{${problem.paste}}`)).toEqual(JSON.parse(`{${paste}}`));
  });

  // The golden file does not say who else differs where a table fits.
  it.skipIf(answer.startsWith("table of "))("names the readers that differ, the layers, the token and the key", () => {
    expect(outliers.map(({ reader }) => reader).sort()).toEqual(differ.map(({ reader }) => reader).sort());
    for (const wanted of differ) {
      const found = outliers.find(({ reader }) => reader === wanted.reader)!;
      expect(found.layers.map(({ layerType }) => layerType ?? "all").sort()).toEqual(Object.keys(wanted.layers).sort());
      for (const { layerType, firstPair, tokensUntilTenthRadian } of found.layers) {
        const { firstPair: pair = -1, fromToken = Number.POSITIVE_INFINITY } = wanted.layers[layerType ?? "all"]!;
        expect([layerType, firstPair, tokensUntilTenthRadian]).toEqual([layerType, pair, fromToken]);
      }
      if (wanted.key) expect(found.key).toBe(wanted.key);
      expect(found.change).not.toBe("");
      expect(verdict).toContain(wanted.reader);
    }
  });
});

it("is green for healthy files of widely used models, whoever is asked", () => {
  for (const name of ["llama-3.1-8b", "qwen2.5-7b", "gemma-3-1b", "smollm2-135m"]) {
    const { code, readings, verdict } = checkRope({ config: configOf(name) });
    expect([name, code], verdict).toEqual([name, 0]);
    expect(new Set(readings.map(({ reader }) => reader)).size).toBeGreaterThanOrEqual(7);
  }
});

it("says nothing of a rule that nobody has seen llama.cpp's converter write for the family", () => {
  for (const name of ["llama-4-scout", "gemma-4-e2b", "hunyuan-0.5b"]) {
    const { code, verdict } = checkRope({ config: configOf(name) });
    expect([name, code], verdict).toEqual([name, 0]);
  }
  // Its converter raises the base of Hunyuan by alpha, as the class does.
  const options = { readers: ["transformers-5", "llama.cpp"] satisfies Reader[] };
  const { readings } = checkRope({ config: configOf("hunyuan-0.5b") }, options);
  expect(readings.map(({ reader }) => reader)).toEqual(options.readers);
  expect(readings[1]!.frequencies).toEqual(readings[0]!.frequencies);
});

it("says what the positions of a model are that does not rotate", () => {
  const { code, status, verdict, readings } = checkRope({ config: { model_type: "bert", hidden_size: 384 } });
  expect([code, status, readings]).toEqual([0, "no-rotation", []]);
  expect(verdict).toContain("learned positions");
  expect(checkRope({ config: { model_type: "t5" } }).verdict).toContain("bias by distance");
});

const SIZES = { hidden_size: 384, num_attention_heads: 12, num_hidden_layers: 40 };
const still = (config: object) => {
  const { code, status, verdict, readings } = checkRope({ config: { ...SIZES, ...config } });
  expect([code, status, readings], verdict).toEqual([0, "no-rotation", []]);
  expect(() => readRopeConfig({ ...SIZES, ...config })).toThrow(RangeError);
  return verdict;
};

it.each([
  [{ model_type: "mpt" }, "ALiBi"],
  [{ model_type: "jamba" }, "recurrent layers"],
  [{ model_type: "nemotron_h" }, "recurrent layers"],
  [{ model_type: "clip" }, "learned positions"],
  [{ model_type: "bert", position_embedding_type: "absolute" }, "learned positions"],
  [{ model_type: "bert", position_embedding_type: "alibi" }, "ALiBi"],
  [{ model_type: "bert", alibi_starting_size: 512 }, "ALiBi"],
  [{ model_type: "bert", position_embedding_type: "relative_key" }, "learned relative keys"],
  [{ model_type: "roberta", position_embedding_type: "relative_key_query" }, "compared with queries and keys"],
  [{ model_type: "esm" }, "learned positions"],
  [{ model_type: "esm", position_embedding_type: "absolute" }, "learned positions"],
  [{ model_type: "falcon", alibi: true }, "ALiBi"],
  [{ model_type: "baichuan" }, "ALiBi"],
  [{ model_type: "granitemoehybrid", position_embedding_type: "nope" }, "recurrent layers"],
  [{ model_type: "zamba2" }, "recurrent layers"],
])("says of %o that nothing rotates: %s", (config, positions) => {
  expect(still(config)).toContain(positions);
});

it.each([
  { model_type: "esm", position_embedding_type: "rotary" },
  { model_type: "falcon", alibi: false },
  { model_type: "falcon" },
  { model_type: "baichuan", num_hidden_layers: 32 },
  { model_type: "granitemoehybrid", position_embedding_type: "rope" },
  { model_type: "zamba2", use_mem_rope: true },
])("reads the rotation of %o", (config) => {
  const { status, readings } = checkRope({ config: { ...SIZES, ...config } });
  expect(status).not.toBe("no-rotation");
  expect(readings.length).toBeGreaterThan(0);
});

const ggufOf = (name: string, keys: object = {}) => ({
  "general.architecture": name,
  ...Object.fromEntries(
    Object.entries({ embedding_length: 384, "attention.head_count": 12, context_length: 512, ...keys }).map(
      ([key, value]) => [`${name}.${key}`, value],
    ),
  ),
});

it.each([
  ["bert", "learned positions"],
  ["starcoder", "learned positions"],
  ["gpt2", "learned positions"],
  ["bloom", "ALiBi"],
  ["mpt", "ALiBi"],
  ["jina-bert-v2", "ALiBi"],
  ["t5encoder", "bias by distance"],
  ["mamba", "recurrent state"],
  ["jamba", "recurrent layers"],
])("says of a GGUF file of %s that nothing rotates: %s", (name, positions) => {
  expect(still(ggufOf(name))).toContain(positions);
});

it("says of GGUF files whose architecture rotates or not that nothing rotates, where their keys say so", () => {
  expect(still(ggufOf("granitehybrid", { "rope.scaling.finetuned": false }))).toContain("recurrent layers");
  expect(still(ggufOf("baichuan", { block_count: 40 }))).toContain("ALiBi");
  for (const name of ["granitehybrid", "baichuan", "nomic-bert", "jina-bert-v3", "modern-bert", "eurobert"])
    expect(checkRope({ config: ggufOf(name) }).status).toBe("agree");
});

it("knows every architecture that the strict reader refuses because it does not rotate", () => {
  const source = readFileSync(fromRoot("cpp/src/rope_config/pairings.cpp"), "utf8");
  const list = /still\[\] = \{([^}]*)\}/.exec(source)![1]!;
  const names = [...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name!);
  // GPT-J rotates, and llama.cpp has no graph of it. A file of clip is the vision tower of any model, and some rotate.
  for (const name of names.filter((each) => each !== "gptj" && each !== "clip"))
    expect(still(ggufOf(name))).not.toContain("another kind");
});

it("tells of short texts that some readers rotate by the factors of long ones", () => {
  const { code, differences, outliers, verdict } = checkRope({ config: configOf("phi-3.5-mini") });
  expect(code).toBe(3);
  expect(differences.every(({ when }) => when === "texts of up to 4096 tokens")).toBe(true);
  expect(outliers.map(({ reader }) => reader)).toEqual(["vllm", "mlx-lm", "llama.cpp"]);
  expect(verdict).toContain("texts of up to 4096 tokens");
});

it("says the length, and what says so", () => {
  const lengthOf = (config: object) => checkRope({ config }).length;
  const llama = { model_type: "llama", hidden_size: 4096, num_attention_heads: 32 };
  const rope_scaling = { rope_type: "yarn", factor: 4, original_max_position_embeddings: 32768 };
  expect(lengthOf({ ...llama, max_position_embeddings: 4096 })).toEqual({
    tokens: 4096,
    from: "max_position_embeddings",
  });
  expect(lengthOf({ ...llama, rope_scaling })).toEqual({
    tokens: 131072,
    from: "factor * original_max_position_embeddings",
  });
  expect(lengthOf(llama)).toEqual({ tokens: 2048, from: "the default of llama" });
  expect(checkRope({ config: llama }, { context: 77 }).length).toEqual({ tokens: 77, from: "as asked" });
});

it("understands Meta's params.json", () => {
  const params = { dim: 4096, n_layers: 32, n_heads: 32, n_kv_heads: 8, vocab_size: 128256, rope_theta: 500000 };
  const { code, readings } = checkRope({ config: { ...params, use_scaled_rope: true } });
  expect(code).toBe(0);
  const published = checkRope({ config: configOf("llama-3.1-8b") }).readings;
  expect(readings.map((each) => each.frequencies)).toEqual(published.map((each) => each.frequencies));
  expect(checkRope({ config: params }).readings[0]).toMatchObject({ rule: "default", base: 500000 });
});

it("reads GGUF metadata as llama.cpp does, by code of its own", () => {
  const metadata = (architecture: string, keys: object) => ({
    "general.architecture": architecture,
    ...Object.fromEntries(Object.entries(keys).map(([key, value]) => [`${architecture}.${key}`, value])),
  });
  const sizes = {
    embedding_length: 2560,
    "attention.head_count": 8,
    "attention.key_length": 256,
    context_length: 131072,
  };
  const scaled = { "rope.freq_base": 1e6, "rope.scaling.type": "linear", "rope.scaling.factor": 8 };
  const options = { readers: ["llama.cpp"] satisfies Reader[] };
  const gemma = checkRope({ config: metadata("gemma3", { ...sizes, ...scaled }) }, options).readings;
  expect(gemma.map(({ layerType, rule, base }) => [layerType, rule, base])).toEqual([
    ["full_attention", "linear", 1e6],
    ["sliding_attention", "default", 10000],
  ]);
  const config = metadata("llama", { ...sizes, ...scaled, "rope.dimension_count": 256 });
  const { code, readings } = checkRope({ config });
  expect([code, readings.map(({ reader, pairing }) => [reader, pairing])]).toEqual([
    0,
    [
      ["ropewalk", "interleaved"],
      ["llama.cpp", "interleaved"],
    ],
  ]);
});

it("names the layers, the list and the length that a table is of", () => {
  const config = configOf("phi-3.5-mini") as { rope_scaling: Record<string, number[]> };
  const { long_factor: long, short_factor: short } = config.rope_scaling;
  const of = (factors: readonly number[]) => factors.map((each, j) => 10000 ** (-j / 48) / each);
  const said = (inverseFrequencies: number[], given: object = config) =>
    checkRope({ config: given, inverseFrequencies });
  expect(said(of(short!)).verdict).toContain("for texts of up to 4096 tokens (short_factor)");
  expect(said(of(long!)).verdict).toContain("for texts longer than 4096 tokens (long_factor)");
  const gemma = configOf("gemma-3-1b");
  const { code, verdict } = said(
    Array.from({ length: 128 }, (_, j) => 10000 ** (-j / 128)),
    gemma,
  );
  expect([code, verdict.includes("sliding_attention layers")]).toEqual([0, true]);
});

it("says the value of the file that a table was not made with, and the text to paste", () => {
  const rule = { rope_type: "llama3", factor: 8, low_freq_factor: 1, high_freq_factor: 4 };
  const scaling = { ...rule, original_max_position_embeddings: 8192 };
  const llama = { model_type: "llama", head_dim: 128, max_position_embeddings: 131072, rope_theta: 500000 };
  // As PyTorch prints them.
  const printed = Array.from(
    checkRope({ config: { ...llama, rope_scaling: scaling } }, { readers: ["transformers-5"] }).readings[0]!
      .frequencies,
    (theta) => Number(theta.toPrecision(5)),
  );
  const wrong = (change: object) =>
    checkRope({ config: { ...llama, rope_scaling: scaling, ...change }, inverseFrequencies: printed });
  for (const [change, key, paste] of [
    [{ rope_scaling: { ...scaling, factor: 32 } }, "rope_scaling.factor", '"factor": 8'],
    [
      { rope_scaling: { ...scaling, original_max_position_embeddings: 131072 } },
      "rope_scaling.original_max_position_embeddings",
      '"original_max_position_embeddings": 8192',
    ],
    [{ rope_theta: 10000 }, "rope_theta", '"rope_theta": 500000'],
    [{ rope_scaling: null }, "rope_scaling", `"rope_scaling": ${JSON.stringify(scaling)}`],
  ] as const) {
    const { code, problems, fix } = wrong(change);
    expect([code, problems[0]?.key, problems[0]?.paste, fix]).toEqual([4, key, paste, undefined]);
  }
});

it("names the rule default where a table was made without the rule of rope_parameters", () => {
  const rope_parameters = { rope_type: "linear", rope_theta: 500000, factor: 8 };
  const inverseFrequencies = Array.from({ length: 64 }, (_, j) => 500000 ** (-j / 64));
  const config = { model_type: "llama", head_dim: 128, rope_parameters };
  const { problems } = checkRope({ config, inverseFrequencies }, { readers: ["transformers-5"] });
  expect(problems[0]!.problem).toContain("the table was made with rule default");
  expect(problems[0]!.paste).toBe('"rope_parameters": {"rope_type":"default","rope_theta":500000}');
});

it("the page offers every reader that the library has", () => {
  const unknown = () => checkRope({ config: {} }, { readers: ["ollama" as Reader] });
  expect(unknown).toThrow(`\`readers\` holds "ollama"; allowed: ${readers.join(", ")}`);
});

it("names the reader that was meant", () => {
  const misspelt = () => checkRope({ config: {} }, { readers: ["transformer-5" as Reader] });
  expect(misspelt).toThrow('checkRope: `readers` holds "transformer-5"; did you mean `transformers-5`?');
});

it("mlx-lm wants the old name of the rule of Phi 3", () => {
  const { rope_scaling, ...rest } = configOf("phi-3.5-mini") as { rope_scaling: Record<string, unknown> };
  const { type: _, ...unnamed } = rope_scaling;
  const config = { ...rest, rope_scaling: { ...unnamed, rope_type: "longrope" } };
  const { refusals } = checkRope({ config }, { readers: ["transformers-5", "mlx-lm"] });
  expect(refusals).toEqual([
    { reader: "mlx-lm", message: "ValueError: rope_scaling must contain keys {'long_factor', 'type'}" },
  ]);
});

it("refuses members that nobody reads, with the one that is meant", () => {
  const config = configOf("llama-2-7b");
  const subject = { config, inv_freq: [1, 0.5] } as RopeSubject;
  expect(() => checkRope(subject)).toThrow(
    "`subject` has an unknown member `inv_freq`; did you mean `inverseFrequencies`?",
  );
  expect(() => checkRope({ config }, { reader: "transformers-5" } as object)).toThrow("did you mean `readers`?");
  expect(() => checkRope({ config }, { verbose: true } as object)).toThrow("allowed: readers, context, layerType");
});

it("says nothing of readers that do not have the family, unless they are named", () => {
  const config = configOf("llama-2-7b");
  expect(checkRope({ config }).refusals).toEqual([]);
  const { refusals } = checkRope({ config }, { readers: ["transformers-5", "remote-gte"] });
  expect(refusals).toEqual([{ reader: "remote-gte", message: "another family" }]);
});
