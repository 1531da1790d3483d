// The host of a suite in Node: how it gets at the package, the modules and the peers.
import { fork } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { NATIVE_PROGRAM } from "../../../tools/run/builds.mjs";
import { asker, remoteLoop } from "./child-candidate.mjs";
import { once, opening, openOnnxruntimeWeb } from "./peers.mjs";

const here = fileURLToPath(new URL("..", import.meta.url));
const require = createRequire(import.meta.url);

/**
 * `root` is the checkout whose package is measured, `modules` the folder of the bench's own modules, `models` that of
 * models/files.mjs, for the suites that need it.
 */
export function nodeHost({ root, modules, models }) {
  const from = (file) => async (options) => (await import(pathToFileURL(join(root, file)).href)).load(options);
  const load = from("dist/node.js");
  const loadNative = from(`${NATIVE_PROGRAM}/node_modules/ropewalk/dist/node.js`);
  const backends = {
    simd: once(() => load({ threads: 1, native: false })),
    native: once(() => loadNative({ threads: 1, native: true })),
  };
  const host = {
    name: "node",
    // Node 20, which measures, has no relaxed SIMD.
    variants: ["simd", "native"],
    ropewalk: (variant = "simd") => backends[variant](),
    /** With so many threads for one call. */
    ropewalkOn: (threads) => load({ threads, native: false }),
    module: async (name) => {
      const file = join(modules, `${name}.wasm`);
      if (!existsSync(file)) throw new Error(`the bench's module ${name}.wasm was not built`);
      return readFileSync(file);
    },
    modelFile: (name) => join(models, name),
    modelBytes: async (name) => readFileSync(join(models, name)),
    ort: once(() =>
      openOnnxruntimeWeb(pathToFileURL(join(here, "node_modules/onnxruntime-web/dist/ort.wasm.min.mjs")).href),
    ),
    ortNative: once(async () => {
      const ort = require("onnxruntime-node");
      return opening(ort, { executionProviders: ["cpu"], intraOpNumThreads: 1, interOpNumThreads: 1 });
    }),
    tf: once(async () => {
      const tf = require("@tensorflow/tfjs-core");
      const wasm = require("@tensorflow/tfjs-backend-wasm");
      wasm.setWasmPaths(join(here, "node_modules/@tensorflow/tfjs-backend-wasm/dist/"));
      await tf.setBackend("wasm");
      await tf.ready();
      return tf;
    }),
    loop: (make) => inProcess("loop-process.mjs", [], make),
    /** A decoder on one thread. */
    decoder: (make) => inProcess("decoder-process.mjs", [JSON.stringify({ root, modules, models })], make),
  };
  return host;
}

/** A candidate in a process of its own, which runs `script`. */
function inProcess(script, args, make) {
  const options = { execArgv: [], stdio: ["ignore", "ignore", "ignore", "ipc"] };
  const child = fork(join(here, "hosts", script), args, options);
  const channel = asker((request) => child.send(request));
  child.on("message", channel.answered);
  child.on("exit", () => channel.failed(new Error("its process ended")));
  return remoteLoop(channel.ask, () => child.disconnect(), make);
}
