// What Node measures of models besides: windows against full attention, the first vector of a fresh process, and ten
// thousand embeddings in the same memory.
import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { withImports } from "../../../tools/package/sizes.mjs";
import { run } from "../../../tools/setup/commands.mjs";
import { measureGroup } from "../harness/group.mjs";
import { summary } from "../harness/statistics.mjs";
import { ALIKE, checked, cosineOf, openRopewalk } from "../models/engines.mjs";
import { MODELS } from "../models/shapes.mjs";
import { modelsSuite } from "./models.mjs";

const here = fileURLToPath(new URL("..", import.meta.url));

export async function modelsInNode(host, options) {
  await modelsSuite(host, options);
  if (!options.quick) options.report(await windowsGroup(host, options));
  options.report(await firstVectorGroup(options));
  options.report(await manyEmbedsGroup(options));
}

const WINDOWS_LENGTH = 2048;
/** As long as every token is in every other's window. */
const SAME_LENGTH = MODELS.modernbert.window;

/**
 * One base for all layers, so that the two models differ in their windows only: a text no longer than the window has the
 * same result in both, which is what is checked.
 */
async function windowsGroup(host, { long, timing }) {
  const bases = { local_rope_theta: MODELS.modernbert.bases.global };
  const first = {};
  const maker = (key, label, more) => ({
    key,
    label,
    make: async () => {
      const model = await openRopewalk(host, "modernbert", "int8", { ...bases, ...more });
      const { cosine } = await checked(model, SAME_LENGTH, first, "float32");
      // The call takes half a minute: it needs no trial to know that one is a sample.
      const took = Number.POSITIVE_INFINITY;
      return { ...model.at(WINDOWS_LENGTH).candidate, took, cosine, dispose: model.dispose };
    },
  });
  return measureGroup({
    suite: "models",
    host: host.name,
    key: "windows",
    title: `${MODELS.modernbert.title}, int8, ${WINDOWS_LENGTH} tokens`,
    makers: [
      maker("ropewalk", "ropewalk, windows in two layers of three", {}),
      maker("full", "ropewalk, full attention in all layers", { global_attn_every_n_layers: 1 }),
    ],
    timing: { ...timing, rounds: long ? 5 : 1, atLeast: long ? 5 : 1 },
  });
}

const bytesOf = (paths) => paths.reduce((sum, path) => sum + statSync(path).size, 0);

/** The files of the package that a model in Node loads. */
function packageFiles(root) {
  const { loads } = JSON.parse(readFileSync(join(root, "tools/package/budget.json"), "utf8"));
  const wanted = loads.filter(({ name }) => name === "default entry in Node" || name === "models");
  const dist = join(root, "dist");
  return [...new Set(wanted.flatMap(({ files }) => files).flatMap((file) => withImports(dist, file)))].map((file) =>
    join(dist, file),
  );
}

/** What a script of models/ prints, in a fresh process. */
async function printed(script, args, flags = []) {
  const words = [...flags, join(here, "models", script), ...args];
  const { code, stdout, output } = await run(process.execPath, words);
  if (code !== 0) throw new Error(output.trim().split("\n").pop());
  return JSON.parse(stdout);
}

const packageAddress = (root) => pathToFileURL(join(root, "dist/node.js")).href;

/** The model with weights of 8 bits, by this package's own command: its layout may be another one's than before. */
async function quantize(root, source, target) {
  rmSync(target, { recursive: true, force: true });
  const { code, output } = await run(process.execPath, [join(root, "dist/cli.js"), "quantize", source, target]);
  if (code !== 0) throw new Error(output.trim().split("\n")[0]);
}

async function firstVectorGroup({ root, models, quick, timing }) {
  const minilm = join(models, "minilm");
  const quantized = join(models, "minilm-int8");
  const ort = join(here, "node_modules/onnxruntime-web/dist");
  const ortFiles = ["ort.wasm.min.mjs", "ort-wasm-simd-threaded.mjs", "ort-wasm-simd-threaded.wasm"];
  const first = {};
  const fresh = (key, label, { script, args, code, weights, before }) => ({
    key,
    label,
    make: async () => {
      await before?.();
      const once = async () => {
        const { took, vector } = await printed(script, args());
        first.vector ??= vector;
        const cosine = cosineOf(first.vector, vector);
        if (!(cosine >= ALIKE.int8)) throw new Error(`its vector is wrong: its cosine to the first is ${cosine}`);
        return { took, cosine };
      };
      const { cosine } = await once();
      // However often it is asked, a process can start only once.
      const sample = async (iterations) => (await once()).took * iterations;
      return { sample, cosine, took: Number.POSITIVE_INFINITY, code: bytesOf(code), weights: bytesOf([weights]) };
    },
  });
  const ropewalk = (key, label, folder, precision, before) =>
    fresh(key, label, {
      script: "first-vector-ropewalk.mjs",
      args: () => [packageAddress(root), folder, precision],
      code: packageFiles(root),
      weights: join(folder, "model.safetensors"),
      before,
    });
  const onnxruntime = (key, label, graph) =>
    fresh(key, label, {
      script: "first-vector-onnxruntime.mjs",
      args: () => [pathToFileURL(join(ort, ortFiles[0])).href, join(minilm, graph)],
      code: ortFiles.map((file) => join(ort, file)),
      weights: join(minilm, graph),
    });
  return measureGroup({
    suite: "models",
    host: "node",
    key: "first-vector",
    title: `${MODELS.minilm.title}, from import to the first vector of 16 tokens, fresh processes of Node`,
    makers: [
      ropewalk("ropewalk-float32", "ropewalk, float32", minilm, "float32"),
      ropewalk("ropewalk-int8", "ropewalk, int8 from the float32 file", minilm, "int8"),
      ropewalk("ropewalk-int8-file", "ropewalk, int8 from a file in int8", quantized, "int8", () =>
        quantize(root, minilm, quantized),
      ),
      onnxruntime("ort-float32", "onnxruntime-web, float32", "float32-fused.onnx"),
      onnxruntime("ort-q8", "onnxruntime-web, q8 as transformers.js has it", "int8-exported.onnx"),
    ],
    timing: { ...timing, rounds: quick ? 3 : 9, atLeast: quick ? 3 : 9 },
  });
}

async function manyEmbedsGroup({ root, models, quick }) {
  const count = quick ? 200 : 10_000;
  const args = [packageAddress(root), join(models, "minilm"), count];
  const about = { key: "ropewalk", label: "ropewalk, int8, one text after the other" };
  const row = await printed("many-embeds.mjs", args, ["--expose-gc"]).then(
    ({ each, start, end }) => ({ ...about, ...summary(each), memory: { start, end } }),
    (error) => ({ ...about, error: error.message }),
  );
  const title = `${MODELS.minilm.title}, ${count} embeds of one to four words`;
  return { suite: "models", host: "node", key: "embeds", title, rows: [row] };
}
