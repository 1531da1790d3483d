// Gemma 3 270M from its GGUF file in a page: Ropewalk beside wllama, and beside llama.cpp in native code, on one thread.
import { measureGroup } from "../harness/group.mjs";
import { completeGreedily, openWllama } from "../hosts/peers.mjs";
import { ranOn } from "../models/engines.mjs";

/** Tokens that are written behind a prompt, and tokens of the prompt that is read. */
export const WRITTEN = 24;
export const PROMPT = 256;
export const CONTEXT = 512;

export const FILE = "gemma/gemma-3-270m-q4_k_m.gguf";

/**
 * { write(): ms a token, read(): ms for PROMPT tokens, about, dispose() } of a `ropewalk` of its own. `options` are those of
 * `decoder`.
 */
export async function openRopewalk(ropewalk, file, { ids, long }, options = {}) {
  const model = await ropewalk.decoder(file, { precision: "int8", context: CONTEXT, ...options });
  return {
    about: { variant: ranOn(ropewalk), memory: ropewalk.stats().memoryBytes },
    write: () => writing(model.generate(ids, { maxTokens: WRITTEN + 1 })),
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

/** Milliseconds a token of WRITTEN + 1 `tokens`, the first of which comes with the prompt. */
export async function writing(tokens) {
  let begun;
  let count = 0;
  for await (const _ of tokens) {
    begun ??= performance.now();
    if (++count === WRITTEN + 1) break;
  }
  if (count !== WRITTEN + 1) throw new Error(`it stopped after ${count} tokens`);
  return (performance.now() - begun) / WRITTEN;
}

const inPage =
  (options) =>
  async ({ web, models }, prompts) => {
    const ropewalk = await (await import(web)).load({ threads: 1 });
    return openRopewalk(ropewalk, new URL(`${models}/${FILE}`), prompts, options);
  };

/** By its own clock. It reads nothing again that a prompt has in common with the one before, so each begins otherwise. */
async function openCompletion({ peers, models }, { text, longText }) {
  const wllama = await openWllama(peers);
  const file = await (await fetch(`${models}/${FILE}`)).blob();
  await wllama.loadModel([file], { n_ctx: CONTEXT, n_batch: CONTEXT, n_threads: 1, n_gpu_layers: 0, warmup: false });
  let runs = 0;
  return {
    about: {},
    async write() {
      return (await completeGreedily(wllama, text, WRITTEN + 1)).predicted_ms / WRITTEN;
    },
    async read() {
      const { prompt_ms, prompt_n } = await completeGreedily(wllama, `${++runs} ${longText}`, 2);
      return (prompt_ms / prompt_n) * PROMPT;
    },
    dispose: () => wllama.exit(),
  };
}

/** llama.cpp outside of the page: window.llama is a function of main.mjs, and the clock is the process's. */
const openNative = () => ({
  about: {},
  write: () => window.llama("write"),
  read: () => window.llama("read"),
  dispose() {},
});

const ENGINES = [
  { key: "ropewalk", label: "Ropewalk, int8", open: inPage() },
  { key: "ropewalk-screen", label: "Ropewalk, int8, screen", open: inPage({ screen: true }) },
  { key: "wllama", label: "wllama, Q4_K_M", open: openCompletion },
  { key: "llama", label: "llama.cpp, native, Q4_K_M", open: openNative },
];

/** `prompts`: { ids, text } of a short text, { long, longText } of one with more than 256 tokens. */
export const decoderSuite = (at, { prompts, timing, report }) =>
  comparison("chromium", ENGINES, (open) => open(at, prompts), { timing, report });

/** Two groups of the engines, taking turns: a token written, and a prompt read. `open` opens an engine's `open`. */
export async function comparison(host, all, open, { timing, report }) {
  const engines = [];
  for (const { open: how, ...named } of all) {
    try {
      engines.push({ ...named, engine: await open(how) });
    } catch (error) {
      engines.push({ ...named, error });
    }
  }
  const group = async (key, title, call) =>
    report(
      await measureGroup({
        suite: "published",
        host,
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
  await group(`write/${host}`, `Gemma 3 270M, ${host}, a token, ${WRITTEN} written`, "write");
  await group(`read/${host}`, `Gemma 3 270M, ${host}, a prompt of ${PROMPT} tokens`, "read");
  for (const { engine } of engines) await engine?.dispose();
}
