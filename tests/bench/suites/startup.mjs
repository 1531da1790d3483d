// To the first rotated number, each time in a fresh process of Node: from before the import, and from its end.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { run } from "../../../tools/setup/commands.mjs";
import { measureGroup } from "../harness/group.mjs";
import { rotationChain } from "../onnx/chains.mjs";
import { tables } from "../reference/rotation.mjs";

const here = fileURLToPath(new URL("..", import.meta.url));
const peer = (path) => join(here, "node_modules", path);
const script = (name) => join(here, "startup", name);

export async function startupSuite(_host, { root, timing, quick, report, folder }) {
  const graph = join(folder, "one-rotation.onnx");
  const { model } = rotationChain(1, [1, 1, 1, 64], "half", tables(1, 64));
  writeFileSync(graph, model);
  const own = pathToFileURL(join(root, "dist/node.js")).href;
  const makers = [
    fresh("ropewalk", "ropewalk", ["ropewalk.mjs", own]),
    fresh("ropewalk-imported", "ropewalk, once it is imported", ["ropewalk.mjs", own, "imported"]),
  ];
  if (!quick) {
    const ort = pathToFileURL(peer("onnxruntime-web/dist/ort.wasm.min.mjs")).href;
    makers.push(fresh("ort", "onnxruntime-web", ["onnxruntime-web.mjs", ort, graph]));
    const tf = ["tfjs-core", "tfjs-backend-wasm"].map((name) => peer(`@tensorflow/${name}`));
    makers.push(fresh("tfjs", "tfjs, wasm backend", ["tfjs.cjs", ...tf, `${tf[1]}/dist/`]));
  }
  const rounds = quick ? 5 : 11;
  report(
    await measureGroup({
      suite: "startup",
      host: "node",
      key: "startup",
      title: "from import to the first rotation, fresh processes of Node",
      makers,
      timing: { ...timing, rounds, sampleMs: 0, budgetMs: Number.POSITIVE_INFINITY },
    }),
  );
}

function fresh(key, label, [name, ...args]) {
  const once = async () => {
    const { code, stdout, output } = await run(process.execPath, [script(name), ...args]);
    const took = Number(stdout.trim());
    if (code !== 0 || !Number.isFinite(took)) throw new Error(output.trim().split("\n").pop());
    return took;
  };
  return {
    key,
    label,
    // However often it is asked, a process can start only once.
    make: async () => ({ sample: async (iterations) => (await once()) * iterations }),
  };
}
