/** The GitHub Action and the hook for pre-commit, run as their hosts run them. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { cli, testFolder } from "./command-line.js";
import { fromRoot, readText, writeFiles } from "./files.js";
import { readGolden } from "./golden.js";

const folder = testFolder("hooks");
const rule = {
  rope_type: "llama3",
  factor: 8,
  low_freq_factor: 1,
  high_freq_factor: 4,
  original_max_position_embeddings: 8192,
};
const llama = { model_type: "llama", hidden_size: 4096, num_attention_heads: 32, max_position_embeddings: 131072 };
const configs = {
  alike: { ...llama, rope_theta: 500000, rope_scaling: rule },
  apart: { ...llama, rope_parameters: { ...rule, rope_theta: 500000 } },
};

const published = new Map(
  readGolden<{ configs: { name: string; config: object }[] }>("readers-2/configs.json").configs.map(
    ({ name, config }) => [name, config] as const,
  ),
);

const file = (name: string) => join(folder, name, "config.json");
const green = ["llama-3.1-8b", "qwen2.5-7b", "gemma-3-1b", "smollm2-135m"];
beforeAll(() => {
  for (const [name, config] of Object.entries(configs)) writeFiles(folder, [[`${name}/config.json`, config]]);
  for (const name of [...green, "qwen3-8b-yarn"]) writeFiles(folder, [[`${name}/config.json`, published.get(name)]]);
});

it("the hook takes config.json files, and its exit code says whether readers agree", () => {
  const hook = readText(".pre-commit-hooks.yaml");
  const value = (key: string) => new RegExp(`^ {2}${key}: (.+)$`, "m").exec(hook)![1]!;
  const names = new RegExp(value("files"));
  expect(["config.json", "model/config.json", "tsconfig.json"].map((name) => names.test(name))).toEqual([
    true,
    true,
    false,
  ]);
  const args = /\[(.+)\]/
    .exec(value("args"))![1]!
    .split(", ")
    .map((each) => each.replaceAll('"', ""));
  // An executable file of the repository, which pre-commit starts without building anything.
  expect(value("language")).toBe("script");
  const run = (...files: string[]) => spawnSync(fromRoot(value("entry")), [...args, ...files], { encoding: "utf8" });
  expect(run(file("alike"))).toMatchObject({ status: 0, stderr: "" });
  const both = run(file("alike"), file("apart"));
  expect(both.status).toBe(3);
  expect(both.stdout).toContain("transformers-4 differs: it reads rule default with base 10000");
  expect(both.stdout).toContain(`${file("apart")}:`);
});

it("the action's script runs the package on each of its configurations", () => {
  const [, script] = / {6}run: \|\n([\s\S]+)$/.exec(readText("action.yml"))!;
  // In place of the registry: `npx --yes ropewalk@VERSION check ...` runs the package of this repository.
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const npx = join(bin, "npx");
  writeFileSync(npx, `#!/bin/sh\n[ "$1 $2" = "--yes ropewalk@latest" ] && shift 2 && exec node "${cli}" "$@"\n`);
  chmodSync(npx, 0o755);
  const all = JSON.parse(/readers:\s+description: .+\s+default: (\S+)/.exec(readText("action.yml"))![1]!) as string;
  const run = (names: readonly string[], READERS = all) => {
    const CONFIGS = names.map(file).join(" ");
    const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}`, CONFIGS, READERS, VERSION: "latest" };
    return spawnSync("bash", ["-e", "-o", "pipefail", "-c", script!.replace(/^ {8}/gm, "")], { env, encoding: "utf8" });
  };
  expect(run(["alike"])).toMatchObject({ status: 0, stderr: "" });
  const both = run(["alike", "apart"]);
  expect([both.status, both.stderr]).toEqual([3, ""]);
  expect(both.stdout).toContain("transformers-4");
  // As published; and a file that one library reads otherwise, which is well for those that do not deploy to it.
  expect(run(green)).toMatchObject({ status: 0, stderr: "" });
  const amber = run(["qwen3-8b-yarn"]);
  expect(amber.status).toBe(3);
  const [, differs] = /(\S+) differs: /.exec(amber.stdout)!;
  const others = ["transformers-5", "transformers-4", "vllm", "sglang", "llama.cpp"].filter((each) => each !== differs);
  expect(run(["qwen3-8b-yarn"], others.join(","))).toMatchObject({ status: 0 });
});
