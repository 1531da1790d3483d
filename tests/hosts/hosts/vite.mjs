// Vite without any configuration: what it builds, what its development server serves, and a bundle for Node.

import { inChromium } from "../browsers.mjs";
import { installed, openBelow, resultsIn, SUB_PATH } from "../folder.mjs";
import { checkRotateOnly } from "../results.mjs";

const program = (version) => installed(`vite${version}/bin/vite.js`);
const MAJORS = [5, 6, 7, 8];

const built = (version) => ({
  name: `Vite ${version}, \`vite build\``,
  packageOf: `vite${version}`,
  async run({ folder, makeFolder, lateParts }) {
    const small = makeFolder("rotate-only");
    small.addPage(["rotate"]);
    await small.run(process.execPath, program(version), "build");
    checkRotateOnly(await small.open("dist"), lateParts);
    folder.addPage();
    folder.addModel("public");
    await folder.run(process.execPath, program(version), "build");
    return (await folder.open("dist")).results;
  },
});

const development = (version) => ({
  name: `Vite ${version}, development server`,
  packageOf: `vite${version}`,
  async run({ folder }) {
    folder.addPage();
    folder.addModel("public");
    const port = 43_500 + version;
    const options = ["--host", "127.0.0.1", "--port", String(port), "--strictPort"];
    const command = [program(version), ...options];
    return folder.withServer(process.execPath, command, `http://127.0.0.1:${port}/`, async (address) => {
      return (await inChromium(address)).results;
    });
  },
});

/** Server-side rendering with everything in the bundle. */
const bundledForNode = (version) => ({
  name: `Vite ${version}, SSR bundle`,
  ways: "`ssr.noExternal: true`",
  packageOf: `vite${version}`,
  async run({ folder, modelAddress }) {
    folder.addProgram("server.js");
    folder.write("vite.config.js", "export default { ssr: { noExternal: true } };\n");
    await folder.run(process.execPath, program(version), "build", "--ssr", "server.js");
    return resultsIn(await folder.run(process.execPath, "dist/server.js", modelAddress));
  },
});

/** A site that is not at the root of its host. */
const below = (version) => ({
  name: `Vite ${version}, below a path`,
  ways: `\`--base ${SUB_PATH}\``,
  packageOf: `vite${version}`,
  async run({ folder }) {
    folder.addPage();
    folder.addModel("public");
    await folder.run(process.execPath, program(version), "build", "--base", SUB_PATH);
    return (await openBelow(folder, "dist")).results;
  },
});

export const hosts = [
  ...MAJORS.map(built),
  ...MAJORS.map(development),
  below(5),
  below(8),
  bundledForNode(7),
  bundledForNode(8),
];
