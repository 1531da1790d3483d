/** docs/trust.md is what its generator makes of the recorded results, and no number in it is typed by hand. */
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { FUZZ_TARGETS, INSTALL_CHECKS, NEON_SUITES, SANITIZED_SUITES, trustPage } from "../../tools/trust/document.mjs";
import { sectionIn } from "../../tools/trust/records.mjs";
import { fromRoot, readJson, readText } from "./files.js";

interface TrustResults {
  fuzz: object;
  sanitize: object;
  /** Missing until it has run. */
  neon?: object;
  install: object;
  hosts: { hosts: Record<"tried" | "passed" | "failed" | "typescript", number> & { commit: string; date: string } };
}
const tried = { commit: "abc", date: "2026-01-01", machine: "one" };
const json = { ...tried, minutes: 10, seeds: 2, executions: 1234567, reached: 99, broken: true };

test("the page is made of the recorded results", () => {
  const results = readJson<TrustResults>("docs/trust/results.json");
  const page = readText("docs/trust.md");
  // history.test.ts compares this section with the history.
  expect(page).toBe(trustPage(results, sectionIn(page)));
  for (const name of Object.keys(results.fuzz)) expect(FUZZ_TARGETS).toHaveProperty(name);
  for (const name of Object.keys(results.sanitize)) expect(SANITIZED_SUITES).toHaveProperty(name);
  for (const name of Object.keys(results.neon ?? {})) expect(NEON_SUITES).toHaveProperty(name);
  for (const name of Object.keys(results.install)) expect(INSTALL_CHECKS).toHaveProperty(name);
});

test("the page of hosts is of the recorded run", () => {
  const { hosts: run } = readJson<TrustResults>("docs/trust/results.json").hosts;
  const page = readText("docs/hosts.md");
  const [table = "", types = ""] = page.split("## TypeScript");
  const rows = (text: string) => text.split("\n").filter((line) => /^\| (?!host |version |---)/.test(line));
  expect(page).toContain(`Commit ${run.commit}, ${run.date},`);
  expect(rows(table)).toHaveLength(run.tried);
  expect(rows(table).filter((row) => row.includes("**fails**"))).toHaveLength(run.failed);
  expect(rows(table).filter((row) => row.includes("| passes |") && !row.includes("**fails**"))).toHaveLength(
    run.passed,
  );
  expect(rows(types)).toHaveLength(run.typescript);
});

test("it names every target of the fuzzers", () => {
  const targets = [...readText("tests/fuzz/CMakeLists.txt").matchAll(/^ropewalk_fuzz_target\((\w+)/gm)].map(
    ([, name]) => name,
  );
  const scripts = (folder: string, of: RegExp, prefix: string) =>
    readdirSync(fromRoot("tests/fuzz", folder))
      .filter((name) => of.test(name) && name !== "input.ts")
      .map((name) => `${prefix}_${name.replace(of, "").replaceAll("-", "_")}`);
  targets.push(...scripts("javascript", /\.ts$/, "js"), ...scripts("python", /\.py$/, "py"), "javascript");
  expect(Object.keys(FUZZ_TARGETS).sort()).toEqual(targets.sort());
});

test("a broken promise and a failed test stand out", () => {
  expect(trustPage({ fuzz: { json } })).toContain("| 10 | 2 | 1,234,567 | 99 | **yes** | abc | 2026-01-01 |");
  const threads = { ...tried, passed: 5, failed: 1, skipped: 0 };
  expect(trustPage({ install: { debian: { ...tried, passed: false } } })).toContain("used | **failed** | abc |");
  expect(trustPage({ neon: { all: threads } })).toContain("| 5 | **1** | 0 | abc | 2026-01-01 |");
  expect(trustPage({ sanitize: { threads } })).toContain("| 5 | **1** | 0 | abc | 2026-01-01 |");
});

test("inputs of a search that looks at the code and of one that does not are summed apart", () => {
  const page = trustPage({ fuzz: { json, js_chat: json, javascript: { ...json, executions: 5 } } });
  expect(page).toContain("reaches tried 2,469,134 inputs. `javascript`, which is not guided, tried 5.");
});

test("what has not run is named", () => {
  const page = trustPage({ fuzz: { json } });
  expect(page).toMatch(/Not run yet: .*`safetensors`/);
  expect(page).not.toMatch(/Not run yet: .*`json`/);
  expect(page).toMatch(/Not run yet: `addresses`/);
});
