/** `ropewalk check` as a process: every case of tests/golden/readers, and what can go wrong. */
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { readGolden } from "./golden.js";

const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "ropewalk-check-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

const run = (...args: string[]) =>
  new Promise<Ended>((resolve) => {
    execFile(process.execPath, [cli, "check", ...args], { encoding: "utf8" }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (error.code as number), stdout, stderr });
    });
  });

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

/** Two processes at a time: more would only wait for each other. */
async function inPairs<T>(items: readonly T[], check: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items];
  const work = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await check(item);
  };
  await Promise.all([work(), work()]);
}

describe("golden cases", () => {
  it("gives each configuration its code and readings", { timeout: 600_000 }, async () => {
    await inPairs(reports, async ({ config, context, layerType, codes, readings }) => {
      const layers = layerType === null ? [] : ["--layer-type", layerType];
      // The last set holds all readers that take the configuration.
      const { readers, code } = codes.at(-1)!;
      const list = ["--readers", readers.join(",")];
      const ended = await run(files.get(config)!, "--json", "--context", String(context), ...layers, ...list);
      expect([config, ended.code, ended.stderr]).toEqual([config, code, ""]);
      const report = JSON.parse(ended.stdout) as { readings: { reader: string; rule: string; base: number }[] };
      for (const { reader, rule, base } of report.readings) {
        expect([config, reader, rule, base]).toEqual([config, reader, readings[reader]!.rule, readings[reader]!.base]);
      }
      expect(report.readings.length).toBe(readers.length);
    });
  });

  it("gives each table its code and words", { timeout: 600_000 }, async () => {
    await inPairs(tables, async ({ name, config, reader, inverseFrequencies, row, expected }) => {
      const args = config === null ? [] : [write(`${name}.json`, JSON.stringify(config))];
      if (reader !== null) args.push("--readers", reader);
      if (inverseFrequencies)
        args.push("--inv-freq", write(`${name}.txt`, `tensor([${inverseFrequencies.join(", ")}])`));
      if (row) {
        const [cos, sin] = [write(`${name}.cos`, row.cos.join("\n")), write(`${name}.sin`, row.sin.join("\n"))];
        args.push("--cos", cos, "--sin", sin, "--position", String(row.position));
      }
      const { code, stdout, stderr } = await run(...args);
      expect([name, code, stderr]).toEqual([name, expected.code, ""]);
      for (const word of expected.mentions ?? []) expect(stdout.toLowerCase()).toContain(word.toLowerCase());
    });
  });
});

describe("options", () => {
  it("prints readings, differences, refusals and sources", async () => {
    const { code, stdout } = await run(files.get("llama3-v5")!);
    expect(code).toBe(3);
    for (const word of [
      "transformers-4",
      "500000",
      "llama3",
      "remote-gte refuses: another family",
      "4.57.6",
      "emulated",
    ]) {
      expect(stdout).toContain(word);
    }
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
    const none = await run(files.get("llama3-v5")!, "--fix");
    expect([none.code, none.stdout]).toEqual([3, ""]);
    expect(none.stderr).toContain("No configuration is read alike");
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
    ["a context of 0", 2, [files.get("gptj")!, "--context", "0"], "--context"],
    ["a layer type that is not there", 2, [files.get("gptj")!, "--layer-type", "sliding_attention"], "--layer-type"],
    ["half a row", 2, ["--cos", "x"], "--cos, --sin and --position"],
    ["no such file", 1, ["nowhere.json"], "nowhere.json: no such file"],
    ["no JSON", 1, [write("broken.json", "{")], "not JSON"],
    ["no numbers", 1, ["--inv-freq", write("words.txt", "none")], "holds no number"],
    ["an abbreviated tensor", 1, ["--inv-freq", write("short.txt", "tensor([1., 0.5, ..., 0.1])")], "abbreviated"],
  ])("%s", async (_, code, args, word) => {
    const ended = await run(...args);
    expect([ended.code, ended.stdout]).toEqual([code, ""]);
    expect(ended.stderr).toContain(word);
  });
});
