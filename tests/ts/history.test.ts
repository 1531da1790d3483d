/** A figure names the commit that it was measured at, and that commit can be looked up: it is in the history. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

/**
 * Recorded at a commit that no clone has, or from files that were not committed. Measure again and take the name out:
 * a test below fails for a name that is not recorded any more.
 */
const TO_BE_MEASURED_AGAIN: Record<string, readonly string[]> = {};

const git = (...args: string[]) =>
  execFileSync("git", ["-C", root, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();

/** False in a copy without a history, and in a clone of the last commits alone. */
const hasHistory = (() => {
  try {
    return git("rev-parse", "--is-shallow-repository") === "false";
  } catch {
    return false;
  }
})();

const isInHistory = (commit: string) => {
  try {
    git("merge-base", "--is-ancestor", commit, "HEAD");
    return true;
  } catch {
    return false;
  }
};

function commitsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(commitsIn);
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === "commit" && typeof inner === "string" ? [inner] : commitsIn(inner),
  );
}

const files = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".json"))
  .map((name) => `docs/${name}`)
  .sort();
const recorded = files
  .map((file) => [file, [...new Set(commitsIn(JSON.parse(readFileSync(join(root, file), "utf8"))))]] as const)
  .filter(([, commits]) => commits.length > 0);

describe.runIf(hasHistory)("commits of what was recorded", () => {
  it.each(recorded)("%s names commits of this history", (file, commits) => {
    const lost = commits.filter((commit) => !TO_BE_MEASURED_AGAIN[file]?.includes(commit) && !isInHistory(commit));
    expect(lost, `measure again what ${file} has of them`).toEqual([]);
  });

  it.each(Object.entries(TO_BE_MEASURED_AGAIN))("%s still waits for what is named here", (file, names) => {
    const now = recorded.find(([name]) => name === file)?.[1] ?? [];
    expect(names.filter((name) => !now.includes(name))).toEqual([]);
  });

  it("README's own commits are of this history", () => {
    const named = readFileSync(join(root, "README.md"), "utf8").match(/(?<=commit )[0-9a-f]{7,40}/g) ?? [];
    expect(named.filter((commit) => !isInHistory(commit))).toEqual([]);
  });
});
