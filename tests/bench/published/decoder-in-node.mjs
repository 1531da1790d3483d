// Gemma 3 270M from its GGUF file in Node: Ropewalk in WebAssembly and native, beside llama.cpp in native code, on one thread.
import { join } from "node:path";
import { setUpNpmPackages } from "../../../tools/setup/npm-packages.mjs";
import { nodeHost } from "../hosts/node.mjs";
import { CONTEXT, comparison, FILE, openRopewalk, PROMPT, writing } from "./decoder.mjs";

/** llama.cpp as node-llama-cpp brings it for this kind of machine, which picks the instructions that it has. */
export async function openLlama(file, { ids, long }) {
  const { getLlama } = await import("./llama/node_modules/node-llama-cpp/dist/index.js");
  const llama = await getLlama({ gpu: false, build: "never", skipDownload: true, maxThreads: 1, logLevel: "error" });
  const model = await llama.loadModel({ modelPath: file, gpuLayers: 0 });
  const context = await model.createContext({ contextSize: CONTEXT, batchSize: CONTEXT, threads: 1 });
  const sequence = context.getSequence();
  return {
    about: { release: llama.llamaCppRelease.release, instructions: llama.systemInfo },
    async write() {
      await sequence.clearHistory();
      return writing(sequence.evaluate(ids, { temperature: 0, yieldEogToken: true }));
    },
    async read() {
      await sequence.clearHistory();
      const begun = performance.now();
      await sequence.evaluateWithoutGeneratingNewTokens(long.slice(0, PROMPT));
      return performance.now() - begun;
    },
    dispose: () => llama.dispose(),
  };
}

const ropewalkOn = (variant, options) => async (host, file, prompts) =>
  openRopewalk(await host.ropewalk(variant), file, prompts, options);

const ENGINES = [
  { key: "ropewalk", label: "Ropewalk, int8", open: ropewalkOn("simd") },
  { key: "ropewalk-screen", label: "Ropewalk, int8, screen", open: ropewalkOn("simd", { screen: true }) },
  { key: "native", label: "ropewalk-native, int8", open: ropewalkOn("native") },
  { key: "native-screen", label: "ropewalk-native, int8, screen", open: ropewalkOn("native", { screen: true }) },
  { key: "llama", label: "llama.cpp, native, Q4_K_M", open: (_, file, prompts) => openLlama(file, prompts) },
];

/** Installs node-llama-cpp: its optional packages are for graphics processors. */
export const installLlama = (root) =>
  setUpNpmPackages(join(root, "tests/bench/published/llama"), ["--ignore-scripts", "--omit=optional"]);

export const decoderInNode = (root, models, { prompts, timing, report }) =>
  comparison("node", ENGINES, (open) => open(nodeHost({ root }), join(models, FILE), prompts), { timing, report });
