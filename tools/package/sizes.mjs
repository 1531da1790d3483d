// Sizes of what users load, beside the budget that tests/package/sizes.test.ts holds them to.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

export function readBudget(root) {
  return JSON.parse(readFileSync(join(root, "tools/package/budget.json"), "utf8"));
}

export function printSizes(root, gzipped) {
  const budget = readBudget(root);
  for (const [file, limit] of Object.entries(budget.gzipped)) {
    const raw = statSync(join(root, "dist", file)).size;
    console.log(`${file.padEnd(18)} ${raw} bytes, ${gzipped(file)} gzipped (budget ${limit})`);
  }
}
