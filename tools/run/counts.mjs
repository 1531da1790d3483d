// How many tests passed and failed, from the runners' own reports and nothing else.
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readJson } from "../setup/cache.mjs";
import { projectRoot } from "../setup/environment.mjs";

export function reportPath(name) {
  const folder = join(projectRoot(), "build", "reports");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  // A report of an earlier run must never be counted.
  rmSync(path, { force: true });
  return path;
}

function number(text, attribute) {
  return Number(new RegExp(`\\b${attribute}="(\\d+)"`).exec(text)?.[1] ?? Number.NaN);
}

/** CTest's JUnit file. */
export function countCtest(path) {
  if (!existsSync(path)) return null;
  const head = /<testsuite\b[^>]*>/.exec(readFileSync(path, "utf8"))?.[0] ?? "";
  const failed = number(head, "failures");
  const skipped = number(head, "skipped") + number(head, "disabled");
  return whole({ passed: number(head, "tests") - failed - skipped, failed, skipped });
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

/** Playwright's JSON reporter; a test that passed on a second try is counted as failed. */
export function countPlaywright(path) {
  const stats = readJson(path)?.stats;
  if (!stats) return null;
  return whole({ passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped: stats.skipped });
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
