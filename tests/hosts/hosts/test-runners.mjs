// Test runners, whose environments differ from Node's.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { installed, resultsIn } from "../folder.mjs";
import { STEPS } from "../steps.mjs";
import { nodeProgram } from "./node.mjs";

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

const requiringTest = `
  const { writeFileSync } = require("node:fs");
  const { load } = require("ropewalk");
  const { runSteps } = require("./steps.cjs");
  test("ropewalk", async () => {
    const results = await runSteps(load, process.env.ROPEWALK_MODEL);
    writeFileSync("results.txt", "RESULTS " + JSON.stringify(results));
  }, 600_000);
`;

/** Tests that Jest takes as CommonJS, as it takes all that are not told otherwise. */
async function requiredByJest(folder, ...flags) {
  folder.write("package.json", JSON.stringify({ name: "host", private: true }));
  folder.addProgram("host.test.js", requiringTest);
  const esbuild = installed("esbuild/bin/esbuild");
  await folder.run(esbuild, "steps.js", "--format=cjs", "--outfile=steps.cjs", "--log-level=error");
  const args = [...flags, installed("jest/bin/jest.js"), "--watchman=false"];
  return tested(folder, () => folder.run(nodeProgram(24), ...args));
}

const REQUIRES_NO_MODULES =
  'Without `--experimental-vm-modules` Jest cannot require an ES module under any Node ("Must use import to load ES ' +
  'Module"), and the package has ES modules alone: the same code for `require` would add about a tenth to its size.';

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
  {
    name: "Jest, CommonJS",
    ways: "tests that `require`, under Node 24; `node --experimental-vm-modules`",
    packageOf: "jest",
    run: ({ folder }) => requiredByJest(folder, "--experimental-vm-modules", "--no-warnings"),
  },
  {
    name: "Jest, CommonJS without the flag",
    ways: "tests that `require`, as Jest runs when nothing is set",
    packageOf: "jest",
    without: Object.fromEntries(STEPS.map((step) => [step, REQUIRES_NO_MODULES])),
    run: ({ folder }) => requiredByJest(folder),
  },
];
