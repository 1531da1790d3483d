import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";

/** Inside the project, where "ropewalk" is the built package. */
export const programFolder = "build/playwright-code";

/** The output of a program that a page shows. */
export function printedBy(name: string, source: string): string {
  mkdirSync(programFolder, { recursive: true });
  writeFileSync(`${programFolder}/${name}.mjs`, source);
  // Playwright asks its children for colours, which would stand among the numbers.
  const env = { ...process.env, FORCE_COLOR: "0" };
  return execFileSync(process.execPath, [`${name}.mjs`], { cwd: programFolder, encoding: "utf8", env });
}
