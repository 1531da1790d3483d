/** `ropewalk fine-tune` and `classify` as processes, on the generated tasks of tests/fixtures/glue. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli, testFolder } from "./command-line.js";
import { fromRoot } from "./files.js";

const model = fromRoot("web/public/model");
const glue = (name: string) => fromRoot(`tests/fixtures/glue/${name}.tsv`);
const folder = testFolder("fine-tune");
const at = (name: string) => join(folder, name);
const run = (...args: string[]) => spawnSync(process.execPath, [cli, ...args], { encoding: "utf8", cwd: folder });
const asked = (out: string, train: string, validation: string, ...more: string[]) => [
  ..."fine-tune --model".split(" "),
  ...[model, "--train", train, "--validation", validation, "--out", at(out), ...more],
];

interface Report {
  epochs: { epoch: number; metrics: Record<string, number> }[];
  best: { epoch: number; metrics: Record<string, number> };
  notes: string[];
}
function tuned(...args: string[]): Report {
  const { status, stdout, stderr } = run(...args, "--json");
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return JSON.parse(stdout) as Report;
}
const best = (...args: string[]) =>
  (JSON.parse(run("classify", ...args, "--json").stdout) as { label: string; score: number }[])[0]!;

describe("a single sentence, as CoLA has it", () => {
  it("is learnt, saved and classified", () => {
    const files = [glue("acceptability-train"), glue("acceptability-validation")] as const;
    const report = tuned(...asked("cola", ...files, "--task", "cola", "--epochs", "1", "--learning-rate", "1e-3"));
    expect(report.notes).toEqual(["`weights` have no classification head: it begins with values from `seed`"]);
    expect(report.epochs[0]!.metrics.accuracy).toBeLessThan(0.7);
    expect(report.best.metrics.accuracy).toBeGreaterThan(0.9);
    expect(report.best.metrics.matthews).toBeGreaterThan(0.8);

    expect(readdirSync(at("cola")).sort()).toEqual(["config.json", "model.safetensors", "tokenizer.json"]);
    const config = JSON.parse(readFileSync(join(at("cola"), "config.json"), "utf8")) as Record<string, unknown>;
    expect(config).toMatchObject({
      architectures: ["RoFormerForSequenceClassification"],
      id2label: { 0: "unacceptable", 1: "acceptable" },
      label2id: { unacceptable: 0, acceptable: 1 },
    });
    // Neither sentence is in the files.
    expect(best(at("cola"), "the pilot who saw the doctors was afraid .").label).toBe("acceptable");
    expect(best(at("cola"), "the pilot who saw the doctors were afraid .").label).toBe("unacceptable");
    expect(run("classify", at("cola"), "the pilot").stdout).toMatch(/^score\tlabel\n0\.\d{4}\t(un)?acceptable\n/);
    expect(readdirSync(folder).filter((name) => name.includes("partial"))).toEqual([]);
  }, 240_000);
});

describe("pairs, as RTE has them", () => {
  it("are learnt", () => {
    const files = [glue("coreference-train"), glue("coreference-validation")] as const;
    const report = tuned(...asked("rte", ...files, "--task", "rte", "--epochs", "1", "--learning-rate", "1e-3"));
    expect(report.epochs[0]!.metrics.accuracy).toBeLessThan(0.7);
    expect(report.best.metrics.accuracy).toBeGreaterThan(0.9);
    expect(best(at("rte"), "the queens who saw the boy were sad .", "they were sad .").label).toBe("entailment");
  }, 240_000);
});

const write = (name: string, text: string) => {
  writeFileSync(at(name), text);
  return at(name);
};
const few = (header: string, ...lines: string[]) => `${[header, ...lines].join("\n")}\n`;

describe("scores and columns of one's own", () => {
  it("a score is learnt as a value, and correlations measure it", () => {
    const lines = Array.from({ length: 40 }, (_, i) => {
      const words = 1 + (i % 5);
      return `${words}\t${"the ".repeat(words)}sailor\tthe captain`;
    });
    const file = write("scores.tsv", few("score\tone\tother", ...lines));
    const own = ["--columns", "label=score,text=one,pair=other", "--metric", "pearson-spearman"];
    const report = tuned(
      ...asked("score", file, file, ...own, "--epochs", "8", "--batch", "8", "--learning-rate", "1e-3"),
    );
    expect(Object.keys(report.best.metrics)).toEqual(["pearson", "spearman"]);
    expect(report.best.metrics.pearson).toBeGreaterThan(0.8);
    const value = (words: number) => best(at("score"), `${"the ".repeat(words)}sailor`, "the captain").score;
    expect(value(5)).toBeGreaterThan(value(1) + 1);
  }, 120_000);

  it("the same seed writes the same files", () => {
    const file = write("three.tsv", few("text\tkind", "the sailor\tx", "the king\ty", "a rope\tz", "the rope\tz"));
    const own = ["--columns", "label=kind,text=text", "--epochs", "1", "--batch", "2"];
    const weights = ["a", "b"].map((out) => {
      tuned(...asked(out, file, file, ...own, "--seed", "3"));
      return readFileSync(join(at(out), "model.safetensors"));
    });
    expect(weights[0]!.equals(weights[1]!)).toBe(true);
    const { id2label } = JSON.parse(readFileSync(join(at("a"), "config.json"), "utf8")) as { id2label: object };
    expect(id2label).toEqual({ 0: "x", 1: "y", 2: "z" });
  });
});

describe("what cannot be done", () => {
  const good = glue("acceptability-validation");
  const cases: [string, string[], number, ...string[]][] = [
    ["no task", asked("n", good, good), 2, "--task or --columns is missing"],
    ["two ways to say it", asked("n", good, good, "--task", "cola", "--metric", "f1"), 2, "both say which metric"],
    ["another task", asked("n", good, good, "--task", "wnli"), 2, '--task is "wnli"; allowed: sst-2'],
    ["bad columns", asked("n", good, good, "--columns", "label=a"), 2, "allowed: label=NAME,text=NAME"],
    ["a rate of 0", asked("n", good, good, "--task", "cola", "--learning-rate", "0"), 2, "--learning-rate is 0"],
    ["no file", asked("n", "none.tsv", good, "--task", "cola"), 1, "none.tsv: no such file"],
    ["another format", asked("n", good, good, "--task", "sst-2"), 1, "acceptability-validation.tsv:1: has 0 columns"],
    ["an --out with files", asked("", good, good, "--task", "cola"), 1, "holds files already"],
  ];
  it.each(cases)("%s", (_, args, code, ...words) => {
    write("something", "");
    const { status, stdout, stderr } = run(...args);
    expect(stdout).toBe("");
    for (const word of words) expect(stderr).toContain(word);
    expect(status).toBe(code);
    expect(existsSync(at("n"))).toBe(false);
  });

  it("a label that is none names file and line", () => {
    const file = write("bad.tsv", few("sentence\tlabel", "the sailor\t1", "the king\t2"));
    const { status, stderr } = run(...asked("n", file, file, "--task", "sst-2"));
    expect(stderr).toContain('bad.tsv:3: the label is "2"; allowed: 0 or 1');
    expect(status).toBe(1);
  });

  it("a pickle is to be converted first", () => {
    mkdirSync(at("pickle"), { recursive: true });
    for (const name of ["config.json", "tokenizer.json"]) copyFileSync(join(model, name), join(at("pickle"), name));
    writeFileSync(join(at("pickle"), "pytorch_model.bin"), "");
    const { status, stderr } = run("classify", at("pickle"), "the sailor");
    expect(stderr).toContain(
      'encoder: `files` is "pytorch_model.bin"; allowed: model.safetensors: a pickle can run code',
    );
    expect(status).toBe(1);
  });

  it("Ctrl-C leaves nothing behind", async () => {
    const args = asked("stopped", glue("acceptability-train"), good, "--task", "cola", "--epochs", "1000");
    // Progress is shown on a terminal alone.
    const terminal = ["--import", "data:text/javascript,process.stderr.isTTY=true"];
    const child = spawn(process.execPath, [...terminal, cli, ...args], { cwd: folder });
    let shown = "";
    child.stderr.on("data", (data) => {
      shown += String(data);
      if (!child.killed && /step \d+ of/.test(shown)) child.kill("SIGINT");
    });
    expect(await once(child, "close")).toEqual([130, null]);
    expect(shown).toContain("interrupted; nothing was written");
    expect(existsSync(at("stopped"))).toBe(false);
    expect(readdirSync(folder).filter((name) => name.includes("partial"))).toEqual([]);
  });
});
