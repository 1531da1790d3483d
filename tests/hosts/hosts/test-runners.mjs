// Test runners, whose environments differ from Node's.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { installed, resultsIn } from "../folder.mjs";

/** A test that writes what the steps gave, since runners print as they like. */
const testSource = (head) => `
  ${head}
  import { writeFileSync } from "node:fs";
  import { load } from "ropewalk";
  import { runSteps } from "./steps.js";
  test("ropewalk", async () => {
    const results = await runSteps(load, process.env.ROPEWALK_MODEL);
    writeFileSync("results.txt", "RESULTS " + JSON.stringify(results));
  }, 600_000);
`;

async function tested(folder, run) {
  const results = join(folder.folder, "results.txt");
  const output = await run();
  return resultsIn(existsSync(results) ? readFileSync(results, "utf8") : output);
}

const vitest = (environment) => ({
  name: `Vitest, environment ${environment}`,
  packageOf: "vitest",
  async run({ folder }) {
    folder.addProgram("host.test.js", testSource('import { test } from "vitest";'));
    const args = ["run", "--environment", environment, "--testTimeout", "600000"];
    return tested(folder, () => folder.run(process.execPath, installed("vitest/vitest.mjs"), ...args));
  },
});

export const hosts = [
  vitest("node"),
  {
    name: "Jest",
    ways: "`node --experimental-vm-modules`, which Jest asks for with ES modules",
    packageOf: "jest",
    async run({ folder }) {
      folder.addProgram("host.test.js", testSource(""));
      folder.write("jest.config.json", JSON.stringify({ transform: {} }));
      const args = ["--experimental-vm-modules", "--no-warnings", installed("jest/bin/jest.js"), "--watchman=false"];
      return tested(folder, () => folder.run(process.execPath, ...args));
    },
  },
];
