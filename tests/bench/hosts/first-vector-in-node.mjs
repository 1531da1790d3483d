// Starts fresh processes of Node for models/first-vector.mjs.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { withImports } from "../../../tools/package/sizes.mjs";
import { run } from "../../../tools/setup/commands.mjs";
import { summary } from "../harness/statistics.mjs";

const here = fileURLToPath(new URL("..", import.meta.url));
const ORT = join(here, "node_modules/onnxruntime-web/dist");
const ORT_FILES = ["ort.wasm.min.mjs", "ort-wasm-simd-threaded.mjs", "ort-wasm-simd-threaded.wasm"];

const bytesOf = (paths) => paths.reduce((sum, path) => sum + statSync(path).size, 0);

/** The files of the package that an encoder in Node loads, by the first file of each group in the budget. */
function packageFiles(root) {
  const { loads } = JSON.parse(readFileSync(join(root, "tools/package/budget.json"), "utf8"));
  const dist = join(root, "dist");
  const files = ["node.js", "model.js"].flatMap((first) => {
    const load = loads.find((each) => each.files[0] === first);
    if (load === undefined) throw new Error(`tools/package/budget.json has no group that begins with ${first}`);
    return load.files.flatMap((file) => withImports(dist, file));
  });
  return [...new Set(files)].map((file) => join(dist, file));
}

/** The JSON that a script prints in a fresh process of Node. */
async function printed(script, args, flags = []) {
  const { code, stdout, output } = await run(process.execPath, [...flags, script, ...args]);
  if (code !== 0) throw new Error(output.split("\n").find((line) => /Error: /.test(line)) ?? `it ended with ${code}`);
  return JSON.parse(stdout);
}

/** A group of one row, what `script` prints of all that it did one after the other, and of the memory that it needed. */
export async function lastingGroup(script, { root, folder, count, label, ...group }) {
  const args = [pathToFileURL(join(root, "dist/node.js")).href, folder, count];
  const about = { key: "ropewalk", label };
  const row = await printed(join(here, script), args, ["--expose-gc"]).then(
    ({ each, start, end }) => ({ ...about, ...summary(each), memory: { start, end } }),
    (error) => ({ ...about, error: error.message }),
  );
  return { ...group, host: "node", rows: [row] };
}

/** A function that starts a process and resolves to { took, vector, code, weights }. */
export const firstVectorsInNode =
  ({ root, models }) =>
  async ({ engine, file, precision }) => {
    const isOwn = engine === "ropewalk";
    const address = pathToFileURL(isOwn ? join(root, "dist/node.js") : join(ORT, ORT_FILES[0])).href;
    const weights = join(models, file);
    const request = { engine, address, weights, precision };
    const answer = await printed(join(here, "hosts/first-vector-process.mjs"), [JSON.stringify(request)]);
    const code = bytesOf(isOwn ? packageFiles(root) : ORT_FILES.map((name) => join(ORT, name)));
    return { ...answer, code, weights: bytesOf([weights]) };
  };
