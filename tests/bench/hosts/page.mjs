// The host of a suite in a page: bundled by esbuild, served beside the package, the modules and the peers.

import { setWasmPaths } from "@tensorflow/tfjs-backend-wasm";
import * as tf from "@tensorflow/tfjs-core";
import { SUITES } from "../suites/index.mjs";
import { asker, remoteLoop } from "./child-candidate.mjs";
import { once, openOnnxruntimeWeb, openWllama } from "./peers.mjs";

async function bytes(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} is not there`);
  return new Uint8Array(await response.arrayBuffer());
}

/** `addresses`: of the package's web.js, of the folders of modules and models, of the peers, of the worker's script. */
function pageHost({ web, modules, models, peers, worker }) {
  return {
    name: "chromium",
    variants: ["simd", "relaxed"],
    // The same options give the same object.
    ropewalk: async (variant = "simd") => (await import(web)).load({ variant, threads: 1 }),
    wllama: () => openWllama(peers),
    module: (name) => bytes(`${modules}/${name}.wasm`),
    modelFile: (name) => `${models}/${name}`,
    modelBytes: (name) => bytes(`${models}/${name}`),
    // In another page, with the addresses as it needs them.
    firstVector: ({ engine, file, precision }) => {
      const address = engine === "ropewalk" ? web : `${peers}/onnxruntime-web/dist/ort.wasm.min.mjs`;
      return window.firstVectorInFreshPage({ engine, address, weights: `${models}/${file}`, precision });
    },
    ort: once(() => openOnnxruntimeWeb(`${peers}/onnxruntime-web/dist/ort.wasm.min.mjs`)),
    tf: once(async () => {
      setWasmPaths(`${peers}/@tensorflow/tfjs-backend-wasm/dist/`);
      await tf.setBackend("wasm");
      await tf.ready();
      return tf;
    }),
    loop(make) {
      const own = new Worker(worker, { type: "module" });
      const channel = asker((request) => own.postMessage(request));
      own.addEventListener("message", ({ data }) => channel.answered(data));
      own.addEventListener("error", () => channel.failed(new Error("its worker ended")));
      return remoteLoop(channel.ask, () => own.terminate(), make);
    },
  };
}

/** Called by hosts/browser.mjs; window.report is its function. */
window.runSuite = (suite, addresses, options) =>
  SUITES[suite](pageHost(addresses), { ...options, report: (group) => window.report(group) });
