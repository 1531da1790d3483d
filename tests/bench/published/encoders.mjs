// MiniLM in a page, by the public call of each package: the engines, and what is asked of them.
import { measureGroup } from "../harness/group.mjs";
import { awaiting } from "../harness/sampler.mjs";

export const ENGINES = {
  "ropewalk-float32": { label: "Ropewalk, float32", package: "ropewalk", precision: "float32" },
  "transformers-float32": { label: "transformers.js, fp32", package: "transformers", dtype: "fp32" },
  "ropewalk-int8": { label: "Ropewalk, int8", package: "ropewalk", precision: "int8" },
  "transformers-int8": { label: "transformers.js, q8", package: "transformers", dtype: "q8" },
};

/** `at`: addresses of the page's server. Resolves to { embed(text): a vector, dispose() }. */
export const openEngine = (key, at) => OPEN[ENGINES[key].package](ENGINES[key], at);

const OPEN = {
  async ropewalk({ precision }, { web, models }) {
    const ropewalk = await (await import(web)).load({ threads: 1 });
    const model = await ropewalk.encoder(new URL(`${models}/minilm/`), { precision });
    return { embed: async (text) => (await model.embed([text]))[0], dispose: () => model.dispose() };
  },
  async transformers({ dtype }, { peers, models }) {
    const dist = `${peers}/@huggingface/transformers`;
    const { env, pipeline } = await import(`${dist}/dist/transformers.min.js`);
    // As it reads a hub, which is this machine.
    env.allowLocalModels = false;
    env.remoteHost = `${models}/`;
    env.remotePathTemplate = "{model}/";
    env.useBrowserCache = false;
    env.useWasmCache = false;
    env.backends.onnx.wasm.wasmPaths = `${dist}/node_modules/onnxruntime-web/dist/`;
    env.backends.onnx.wasm.numThreads = 1;
    const extract = await pipeline("feature-extraction", "minilm-onnx", { device: "wasm", dtype });
    return {
      embed: async (text) => (await extract(text, { pooling: "mean", normalize: true })).data,
      dispose: () => extract.dispose(),
    };
  },
};

/** One short question, as a search asks it. */
const QUERY = "How do rotary position embeddings encode distance?";

/** From import to the first vector, in a page that has loaded nothing else: { took, dimensions }. */
export async function firstVector(key, at) {
  const begun = performance.now();
  const engine = await openEngine(key, at);
  const { length } = await engine.embed(QUERY);
  return { took: performance.now() - begun, dimensions: length };
}

/** All texts one after the other, then one query, of each engine in turn; `vectors(key, list)` gets what they gave. */
export async function encodersSuite(at, { texts, timing, report, vectors }) {
  const engines = [];
  for (const [key, { label }] of Object.entries(ENGINES)) {
    const engine = await openEngine(key, at);
    const found = [];
    for (const text of texts) found.push([...(await engine.embed(text))]);
    await vectors(key, found);
    engines.push({ key, label, engine });
  }
  const group = async (key, title, how, run) =>
    report(
      await measureGroup({
        suite: "published",
        host: "chromium",
        key,
        title,
        makers: engines.map(({ key, label, engine }) => ({ key, label, make: () => awaiting("", "", run(engine)) })),
        timing: { ...timing, ...how },
      }),
    );
  await group(
    "texts",
    `all-MiniLM-L6-v2, ${texts.length} texts, a call each`,
    { sampleMs: 1 },
    (engine) => async () => {
      for (const text of texts) await engine.embed(text);
    },
  );
  await group("query", "all-MiniLM-L6-v2, one short query", { sampleMs: 50 }, (engine) => () => engine.embed(QUERY));
  for (const { engine } of engines) await engine.dispose();
}
