// Gemma 3 270M from its GGUF file in a page: Ropewalk beside wllama, on one thread.
import { measureGroup } from "../harness/group.mjs";

/** Tokens that are written behind a prompt, and tokens of the prompt that is read. */
const WRITTEN = 24;
const PROMPT = 256;

const FILE = "gemma/gemma-3-270m-q4_k_m.gguf";

/** { write(): ms a token, read(): ms for PROMPT tokens, about, dispose() }. */
async function openRopewalk({ web, models }, { ids, long }) {
  const ropewalk = await (await import(web)).load({ threads: 1 });
  const model = await ropewalk.decoder(new URL(`${models}/${FILE}`), { precision: "int8", context: 512 });
  return {
    about: { variant: ropewalk.variant, memory: ropewalk.stats().memoryBytes },
    async write() {
      // The first token comes with the prompt.
      let begun;
      let count = 0;
      for await (const _ of model.generate(ids, { maxTokens: WRITTEN + 1 })) {
        begun ??= performance.now();
        count++;
      }
      if (count !== WRITTEN + 1) throw new Error(`it stopped after ${count} tokens`);
      return (performance.now() - begun) / WRITTEN;
    },
    async read() {
      const cache = model.cache();
      const begun = performance.now();
      cache.feed(long.slice(0, PROMPT));
      const took = performance.now() - begun;
      cache.dispose();
      return took;
    },
    dispose: () => model.dispose(),
  };
}

/** By its own clock. It reads nothing again that a prompt has in common with the one before, so each begins otherwise. */
async function openWllama({ peers, models }, { text, longText }) {
  const { LoggerWithoutDebug, Wllama } = await import(`${peers}/@wllama/wllama/esm/index.js`);
  const wasm = `${peers}/@wllama/wllama/esm/wasm/wllama.wasm`;
  const wllama = new Wllama({ default: wasm }, { suppressNativeLog: true, logger: LoggerWithoutDebug });
  wllama.setCompat(null);
  const file = await (await fetch(`${models}/${FILE}`)).blob();
  await wllama.loadModel([file], { n_ctx: 512, n_batch: 512, n_threads: 1, n_gpu_layers: 0, warmup: false });
  let runs = 0;
  const complete = async (prompt, count) => {
    const greedy = { temperature: 0, ignore_eos: true, samplers: ["top_k"], top_k: 1 };
    return (await wllama.createCompletion({ prompt, max_tokens: count, ...greedy })).timings;
  };
  return {
    about: {},
    async write() {
      const { predicted_ms, predicted_n } = await complete(text, WRITTEN + 1);
      if (predicted_n !== WRITTEN + 1) throw new Error(`it stopped after ${predicted_n} tokens`);
      return predicted_ms / WRITTEN;
    },
    async read() {
      const { prompt_ms, prompt_n } = await complete(`${++runs} ${longText}`, 2);
      return (prompt_ms / prompt_n) * PROMPT;
    },
    dispose: () => wllama.exit(),
  };
}

const ENGINES = [
  { key: "ropewalk", label: "Ropewalk, int8", open: openRopewalk },
  { key: "wllama", label: "wllama, Q4_K_M", open: openWllama },
];

/** `prompts`: { ids, text } of a short text, { long, longText } of one with more than 256 tokens. */
export async function decoderSuite(at, { prompts, timing, report }) {
  const engines = [];
  for (const { open, ...named } of ENGINES) {
    try {
      engines.push({ ...named, engine: await open(at, prompts) });
    } catch (error) {
      engines.push({ ...named, error });
    }
  }
  const group = async (key, title, call) =>
    report(
      await measureGroup({
        suite: "published",
        host: "chromium",
        key,
        title,
        makers: engines.map(({ engine, error, ...named }) => ({
          ...named,
          make: () => {
            if (error !== undefined) throw error;
            const sample = async (iterations) => {
              let took = 0;
              for (let i = 0; i < iterations; i++) took += await engine[call]();
              return took;
            };
            // A call is a sample, and none is tried before.
            return { sample, took: Number.POSITIVE_INFINITY, ...engine.about };
          },
        })),
        timing,
      }),
    );
  await group("write", `Gemma 3 270M, a token, ${WRITTEN} written`, "write");
  await group("read", `Gemma 3 270M, a prompt of ${PROMPT} tokens`, "read");
  for (const { engine } of engines) await engine?.dispose();
}
