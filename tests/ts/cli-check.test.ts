/** `ropewalk check` as a process: every case of tests/golden/readers, and what can go wrong. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { Arguments } from "../../bindings/ts/cli/arguments.js";
import { check } from "../../bindings/ts/cli/check.js";
import { COMMON_OPTIONS } from "../../bindings/ts/cli/command.js";
import { cli, runCli, testFolder } from "./command-line.js";
import { readGolden } from "./golden.js";

// The command takes the package as it is published.
vi.mock("../../bindings/ts/entries/node.js", () => import("ropewalk"));

const folder = testFolder("check");
const write = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

const run = (...args: string[]) => runCli(["check", ...args]);

interface Report {
  config: string;
  context: number;
  layerType: string | null;
  codes: { readers: string[]; code: number }[];
  readings: Record<string, { rule: string; base: number }>;
}
interface Table {
  name: string;
  config: object | null;
  reader: string | null;
  inverseFrequencies?: (number | string)[];
  row?: { cos: number[]; sin: number[]; position: number };
  expected: { code: number; mentions?: string[] };
}

const { configs } = readGolden<{ configs: { name: string; config: object }[] }>("readers/configs.json");
const { reports } = readGolden<{ reports: Report[] }>("readers/reports.json");
const { tables } = readGolden<{ tables: Table[] }>("readers/tables.json");
const files = new Map(configs.map(({ name, config }) => [name, write(`${name}.json`, JSON.stringify(config))]));

/** The command itself, in this process: a hundred processes take minutes on a busy machine. */
async function command(...argv: string[]) {
  const args = new Arguments(argv, { ...COMMON_OPTIONS, ...check.options }, check.words);
  return check.run(args);
}

describe("--type", () => {
  it("says what the frequencies allow, in words and as numbers", async () => {
    const llama = { model_type: "llama", hidden_size: 4096, num_attention_heads: 32, rope_theta: 10000 };
    const file = write("limits.json", JSON.stringify({ ...llama, max_position_embeddings: 4096 }));
    const plain = await command(file);
    const { text, json, code } = await command(file, "--type", "bfloat16");
    expect(code).toBe(plain.code);
    expect((plain.json as { limits?: object }).limits).toBeUndefined();
    const { limits } = json as { limits: { context: number; numbers: { positions: number }; text: string }[] };
    expect(limits.map(({ context, numbers }) => [context, numbers.positions])).toEqual([[4096, 256]]);
    expect(text).toContain(limits[0]!.text);
    const short = await command(file, "--type", "float16", "--context", "512");
    expect(short.text).toContain("the context of 512 positions");
    await expect(command(file, "--type", "int8")).rejects.toThrow(
      '--type is "int8"; allowed: float32 or float16 or bfloat16',
    );
  });
});

describe("golden cases", () => {
  it.each(
    reports.map((report) => [`${report.config} at ${report.context} ${report.layerType ?? ""}`, report] as const),
  )("%s", async (_, { config, context, layerType, codes, readings }) => {
    const layers = layerType === null ? [] : ["--layer-type", layerType];
    for (const { readers, code } of codes) {
      const list = ["--readers", readers.join(",")];
      const outcome = await command(files.get(config)!, "--context", String(context), ...layers, ...list);
      expect(outcome.code).toBe(code);
      const { readings: found } = outcome.json as { readings: { reader: string; rule: string; base: number }[] };
      expect(found.length).toBe(readers.length);
      for (const { reader, rule, base } of found) {
        expect([reader, rule, base]).toEqual([reader, readings[reader]!.rule, readings[reader]!.base]);
        expect(outcome.text).toContain(reader);
      }
    }
  });

  it.each(tables.map((table) => [table.name, table] as const))("%s", async (_, table) => {
    const { name, config, reader, inverseFrequencies, row, expected } = table;
    const args = config === null ? [] : [write(`${name}.json`, JSON.stringify(config))];
    if (reader != null) args.push("--readers", reader);
    if (inverseFrequencies) args.push("--inv-freq", write(`${name}.txt`, `tensor([${inverseFrequencies.join(", ")}])`));
    if (row) {
      const [cos, sin] = [write(`${name}.cos`, row.cos.join("\n")), write(`${name}.sin`, row.sin.join("\n"))];
      args.push("--cos", cos, "--sin", sin, "--position", String(row.position));
    }
    const { code, text } = await command(...args);
    expect(code).toBe(expected.code);
    for (const word of expected.mentions ?? []) expect(text.toLowerCase()).toContain(word.toLowerCase());
  });
});

describe("published and broken configurations", () => {
  interface Verdict {
    config: string;
    answer: string;
    exit: number | string;
    readers?: string[];
    refuse?: Record<string, string>;
    subject?: { config: object; inverseFrequencies: number[] };
    mentions?: string[];
  }
  const published = readGolden<{ configs: { name: string; config: object }[] }>("readers-2/configs.json").configs;
  const { verdicts } = readGolden<{ verdicts: Verdict[] }>("readers-2/verdicts.json");
  it.each(verdicts)("$config: $answer", async (wanted) => {
    const { config: name, answer, exit, readers = [], refuse = {}, subject, mentions = [] } = wanted;
    const config = subject?.config ?? published.find((each) => each.name === name)!.config;
    const args = [write(`${name}.json`, JSON.stringify(config))];
    if (subject) args.push("--inv-freq", write(`${name}.txt`, JSON.stringify(subject.inverseFrequencies)));
    const named = [...readers, ...Object.keys(refuse)];
    if (named.length > 0) args.push("--readers", named.join(","));
    const { code, text } = await command(...args);
    expect(code, text).toBe(answer === "refused" ? 6 : exit);
    for (const word of mentions) expect(text).toContain(word);
  });
});

describe("as a process", () => {
  it.each([
    ["default-float32", 0],
    ["wrong-base", 4],
    ["zeros", 5],
  ])("ends with the code of the table %s", async (name, code) => {
    const { config, reader, inverseFrequencies } = tables.find((each) => each.name === name)!;
    const file = write("config.json", JSON.stringify(config));
    const numbers = write("inv_freq.json", JSON.stringify(inverseFrequencies));
    const ended = await run(file, "--inv-freq", numbers, "--readers", reader!);
    expect([ended.code, ended.stderr]).toEqual([code, ""]);
  });

  it("takes several files, and ends with the worst code", async () => {
    const readers = ["--readers", "transformers-4,transformers-5", "--json"];
    const ended = await run(files.get("llama3-old")!, files.get("llama3-v5")!, ...readers);
    expect([ended.code, ended.stderr]).toEqual([3, ""]);
    const found = JSON.parse(ended.stdout) as { file: string; code: number }[];
    expect(found.map(({ code }) => code)).toEqual([0, 3]);
  });

  it("prints readings, differences, refusals and sources", async () => {
    const { code, stdout } = await run(files.get("llama3-v5")!);
    expect(code).toBe(3);
    for (const word of ["transformers-4", "500000", "llama3", "4.57.6", "emulated"]) {
      expect(stdout).toContain(word);
    }
    expect(stdout).not.toContain("another family");
  });

  it("--fix prints a configuration that the readers read alike, and nothing else", async () => {
    const readers = ["--readers", "ropewalk,transformers-4,transformers-5,llama.cpp"];
    const { code, stdout } = await run(files.get("llama3-v5")!, "--fix", ...readers);
    expect(code).toBe(3);
    const fixed = write("fixed.json", stdout);
    const again = await run(fixed, "--json", ...readers);
    expect(again.code).toBe(0);
    const { readings } = JSON.parse(again.stdout) as { readings: { base: number; rule: string }[] };
    expect(readings.map(({ base, rule }) => [base, rule])).toEqual(Array(4).fill([500000, "llama3"]));
    const none = await run(files.get("llama3-v5")!, "--fix", "--readers", "transformers-5,getattr-legacy");
    expect([none.code, none.stdout]).toEqual([3, ""]);
    expect(none.stderr).toContain("No configuration is read alike");
    // The others agree about what one of them refuses: without --fix that is no failure.
    const rope_scaling = { rope_type: "llama3", factor: 8, low_freq_factor: 4, high_freq_factor: 1 };
    const sizes = { hidden_size: 4096, num_attention_heads: 32, max_position_embeddings: 131072, rope_theta: 500000 };
    const scaling = { ...rope_scaling, original_max_position_embeddings: 8192 };
    const swapped = write("swapped.json", JSON.stringify({ model_type: "llama", ...sizes, rope_scaling: scaling }));
    expect((await run(swapped, ...readers)).code).toBe(0);
    const refused = await run(swapped, "--fix", ...readers);
    expect([refused.code, refused.stdout]).toEqual([3, ""]);
  });

  it("reads NaN and Infinity as Python does, and texts of any length", async () => {
    const config = { model_type: "llama", hidden_size: 4096, num_attention_heads: 32, rope_theta: 1e4, note: "" };
    const text = JSON.stringify({ ...config, note: "a".repeat(9e6) });
    const fine = await run(write("infinity.json", text.replace("{", '{"time_step_limit": [0.0, Infinity], ')));
    expect([fine.code, fine.stderr]).toEqual([0, ""]);
    const refused = await run(write("nan.json", JSON.stringify(config).replace("10000", "NaN")));
    expect(refused.code).toBe(6);
    expect(refused.stdout).toContain('`rope_theta`: "NaN" is no number');
  });

  it("says which key stands twice", async () => {
    const file = write("twice.json", '{"model_type": "llama", "head_dim": 64, "rope_theta": 1e4, "rope_theta": 1e5}');
    const { code, stderr } = await run(file);
    expect([code, stderr]).toEqual([
      0,
      `${file}: \`rope_theta\` stands twice in one object; every reader takes the last.\n`,
    ]);
  });

  it("reads a table in UTF-16, which PowerShell writes, and spaces between readers", async () => {
    const config = write("half-million.json", '{"model_type": "llama", "head_dim": 128, "rope_theta": 500000}');
    const table = Array.from({ length: 64 }, (_, j) => 500000 ** (-j / 64)).join("\r\n");
    const utf16 = join(folder, "utf16.txt");
    writeFileSync(utf16, Buffer.from(`\ufeff${table}`, "utf16le"));
    const ended = await run(config, "--inv-freq", utf16, "--readers", "transformers-5, llama.cpp");
    expect([ended.code, ended.stderr]).toEqual([0, ""]);
  });

  it("reads standard input", () => {
    const input = JSON.stringify(configs[0]!.config);
    const ended = spawnSync(process.execPath, [cli, "check", "-", "--readers", "ropewalk"], {
      input,
      encoding: "utf8",
    });
    expect([ended.status, ended.stderr]).toEqual([0, ""]);
  });

  it.each<[string, number, string[], string]>([
    ["nothing to check", 2, [], "config.json is missing, or --inv-freq"],
    ["an unknown reader", 2, [files.get("gptj")!, "--readers", "ollama"], '"ollama"'],
    ["a misspelt reader", 2, [files.get("gptj")!, "--readers", "vlm"], '--readers holds "vlm"; did you mean `vllm`?'],
    ["a context of 0", 2, [files.get("gptj")!, "--context", "0"], "--context"],
    ["a layer type that is not there", 2, [files.get("gptj")!, "--layer-type", "sliding_attention"], "--layer-type"],
    ["half a row", 2, ["--cos", "x"], "--cos, --sin and --position"],
    ["no such file", 1, ["nowhere.json"], "nowhere.json: no such file"],
    ["no JSON", 1, [write("broken.json", "{")], "not JSON"],
    ["an empty file", 1, [write("empty.json", "\n")], "empty.json: is empty"],
    ["a byte order mark", 1, [write("mark.json", "\ufeff{}")], "byte order mark"],
    ["a comment", 1, [write("comment.json", '{\n  "a": "//", // one\n  "b": 1}')], "line 2 holds a comment"],
    ["a comma too many", 1, [write("comma.json", '{"a": 1,\n}')], "line 1 has a comma before a closing bracket"],
    ["a dictionary of Python", 1, [write("python.json", "{'a': None}")], "json.dump"],
    [
      "a number that is too large",
      1,
      [write("large.json", '{"rope_theta": 1e400}')],
      "large.json: `rope_theta` is Infinity",
    ],
    ["no numbers", 1, ["--inv-freq", write("words.txt", "none")], "holds no number"],
    ["an abbreviated tensor", 1, ["--inv-freq", write("short.txt", "tensor([1., 0.5, ..., 0.1])")], "abbreviated"],
  ])("%s", async (_, code, args, word) => {
    const ended = await run(...args);
    expect([ended.code, ended.stdout]).toEqual([code, ""]);
    expect(ended.stderr).toContain(word);
  });
});
