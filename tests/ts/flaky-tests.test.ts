/** A browser test that needed a second try is named at the end of `npm test`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { countPlaywright, flakyTests } from "../../tools/run/counts.mjs";
import { testFolder } from "./command-line.js";

const spec = (title: string, status: string) => ({ title, file: "search.spec.ts", tests: [{ status }] });

const folder = testFolder("flaky");

it("names flaky tests of every depth, and counts them as passed", () => {
  const report = join(folder, "playwright.json");
  const inner = { specs: [spec("third", "flaky"), spec("fourth", "unexpected")] };
  writeFileSync(
    report,
    JSON.stringify({
      stats: { expected: 1, unexpected: 1, flaky: 2, skipped: 0 },
      suites: [{ specs: [spec("first", "expected"), spec("second", "flaky")], suites: [inner] }],
    }),
  );
  expect(flakyTests(report)).toEqual(["search.spec.ts: second", "search.spec.ts: third"]);
  expect(countPlaywright(report)).toEqual({ passed: 3, failed: 1, skipped: 0 });
  expect(flakyTests(join(folder, "none.json"))).toEqual([]);
});
