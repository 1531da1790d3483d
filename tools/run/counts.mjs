// How many tests passed and failed, from the runners' own reports and nothing else.
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readJson } from "../setup/cache.mjs";
import { fromRoot } from "../setup/environment.mjs";

export function reportPath(name) {
  const folder = fromRoot("build/reports");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  // A report of an earlier run must never be counted.
  rmSync(path, { force: true });
  return path;
}

/** GoogleTest's JSON report of one process. */
export function countGoogleTest(path) {
  const tests = readJson(path)?.testsuites.flatMap(({ testsuite }) => testsuite);
  if (!tests) return null;
  const failed = tests.filter(({ failures }) => failures?.length > 0).length;
  const skipped = tests.filter(({ status, result }) => status === "NOTRUN" || result === "SKIPPED").length;
  return { passed: tests.length - failed - skipped, failed, skipped };
}

/**
 * CTest's JUnit file. A program of many tests counts with those of its own report, which lies in `reports` under the
 * name that CTest knows it by; one that left none, since it crashed, makes the count unknown.
 */
export function countCtest(path, reports) {
  if (!existsSync(path)) return null;
  const cases = [...readFileSync(path, "utf8").matchAll(/<testcase name="([^"]*)"[^>]* status="(\w+)"/g)];
  if (cases.length === 0) return null;
  return sumCounts(
    cases.map(([, name, status]) => {
      if (/^ropewalk_\w*tests\.\d+$/.test(name)) return countGoogleTest(join(reports, `${name}.json`));
      const [failed, passed] = [status === "fail", status === "run"].map(Number);
      return { passed, failed, skipped: 1 - passed - failed };
    }),
  );
}

/** Counts in the report that tests/python/run.py writes. */
export function countPython(path) {
  const report = readJson(path);
  return report && whole(report);
}

/** Vitest's JSON reporter. */
export function countVitest(path) {
  const report = readJson(path);
  if (!report) return null;
  return whole({
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + (report.numTodoTests ?? 0),
  });
}

/** Playwright's JSON reporter; a test that passed on its second try has passed, and `flakyTests` names it. */
export function countPlaywright(path) {
  const stats = readJson(path)?.stats;
  if (!stats) return null;
  return whole({ passed: stats.expected + stats.flaky, failed: stats.unexpected, skipped: stats.skipped });
}

/** "FILE: TITLE" of each test that failed and then passed. */
export function flakyTests(path) {
  const within = ({ specs = [], suites = [] }) => [
    ...specs
      .filter(({ tests }) => tests.some(({ status }) => status === "flaky"))
      .map(({ file, title }) => `${file}: ${title}`),
    ...suites.flatMap(within),
  ];
  return within(readJson(path) ?? {});
}

function whole(counts) {
  return Object.values(counts).every(Number.isInteger) ? counts : null;
}

/** The sum of counts, or null if any of them is not known. */
export function sumCounts(list) {
  if (list.length === 0 || list.includes(null)) return null;
  const sum = (key) => list.reduce((total, counts) => total + counts[key], 0);
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}

export function describeCounts({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
