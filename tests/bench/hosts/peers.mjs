// The libraries that Ropewalk is compared with, in Node and in pages alike.

/** `make`, called once: who asks again gets the same. */
export function once(make) {
  let made;
  return () => {
    made ??= make();
    return made;
  };
}

/** Opens models with onnxruntime's own best graph optimisation, on one thread. */
export const opening = (ort, options) => ({
  Tensor: ort.Tensor,
  open: (model) =>
    ort.InferenceSession.create(model, { graphOptimizationLevel: "all", logSeverityLevel: 3, ...options }),
});

/** onnxruntime-web at its address. */
export async function openOnnxruntimeWeb(address) {
  const ort = await import(address);
  ort.env.wasm.numThreads = 1;
  return opening(ort, { executionProviders: ["wasm"] });
}

/** wllama below the address of the peers, with all messages left out. */
export async function openWllama(peers) {
  const { LoggerWithoutDebug, Wllama } = await import(`${peers}/@wllama/wllama/esm/index.js`);
  const wasm = `${peers}/@wllama/wllama/esm/wasm/wllama.wasm`;
  const wllama = new Wllama({ default: wasm }, { suppressNativeLog: true, logger: LoggerWithoutDebug });
  wllama.setCompat(null);
  return wllama;
}

/** One text completed greedily: what wllama's own clock says. */
export async function completeGreedily(wllama, prompt, count) {
  const greedy = { temperature: 0, ignore_eos: true, samplers: ["top_k"], top_k: 1 };
  const { timings } = await wllama.createCompletion({ prompt, max_tokens: count, ...greedy });
  if (timings.predicted_n !== count) throw new Error(`it stopped after ${timings.predicted_n} tokens`);
  return timings;
}
