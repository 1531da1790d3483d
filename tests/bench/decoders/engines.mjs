// The engines that run the decoder: { step(ids): logits of the last, hold(count), dispose() }. `hold` makes the cache hold so many
// tokens.
import { completeGreedily } from "../hosts/peers.mjs";
import { ranOn } from "../models/engines.mjs";
import { textOf } from "./gguf.mjs";
import { CONTEXT, config, DECODER, idsOf } from "./shape.mjs";

/** The package. `fill` is a chunk that caches are filled with. */
export async function openRopewalk(host, variant = "simd") {
  const files = { "config.json": config, "model.safetensors": host.modelFile("smollm2/model.safetensors") };
  const ropewalk = await host.ropewalk(variant);
  const model = await ropewalk.decoder(files, { precision: "int8", context: CONTEXT });
  if (ranOn(ropewalk) !== variant) throw new Error(`${ranOn(ropewalk)} ran for ${variant}`);
  const cache = model.cache();
  const chunk = model.chunk(idsOf(64));
  return {
    model,
    cache,
    chunk,
    step: (ids) => cache.feed(ids),
    hold(count) {
      if (cache.length > count) cache.trim(count);
      while (cache.length < count) cache.append(chunk, { to: Math.min(chunk.length, count - cache.length) });
    },
    dispose: () => model.dispose(),
  };
}

/** onnxruntime: the cache comes out of a run and goes into the next one, as transformers.js has it without a GPU. */
export async function openOnnx(host, get = host.ort) {
  const ort = await get();
  const session = await ort.open(await host.modelBytes("smollm2/int8.onnx"));
  const { keyHeads, dim } = DECODER;
  const names = session.inputNames.filter((name) => name.startsWith("past_key_values"));
  let cache = {};
  let held = -1;
  return {
    async step(ids) {
      const total = held + ids.length;
      const feeds = {
        input_ids: new ort.Tensor("int64", BigInt64Array.from(ids, BigInt), [1, ids.length]),
        attention_mask: new ort.Tensor("int64", new BigInt64Array(total).fill(1n), [1, total]),
        ...cache,
      };
      const result = await session.run(feeds);
      const outputs = session.outputNames.map((name) => result[name]);
      cache = Object.fromEntries(names.map((name, i) => [name, outputs[i]]));
      held = total;
      return outputs.at(-1).data;
    },
    hold(count) {
      if (held === count) return;
      const some = () => Float32Array.from({ length: keyHeads * count * dim }, (_, i) => ((i % 17) - 8) * 0.1);
      const values = some();
      cache = Object.fromEntries(
        names.map((name) => [name, new ort.Tensor("float32", values.slice(), [1, keyHeads, count, dim])]),
      );
      held = count;
    },
    dispose: () => session.release(),
  };
}

/**
 * wllama, which runs llama.cpp in a worker, on one thread: candidates by its own clock, which begins a generation behind its
 * first token. It computes nothing again that a prompt has in common with the one before.
 */
export async function openWllama(host) {
  const wllama = await host.wllama();
  const model = await (await fetch(host.modelFile("smollm2/q8_0.gguf"))).blob();
  const sizes = { n_ctx: 1024, n_batch: 512, n_threads: 1, n_gpu_layers: 0 };
  await wllama.loadModel([model], { ...sizes, warmup: false });
  const more = 16;
  let seed = 0;
  return {
    decode(held) {
      // So many that half of the tokens that are timed come before and half behind.
      const prompt = textOf(held - more / 2 - 1, ++seed);
      return async () => (await completeGreedily(wllama, prompt, more + 1)).predicted_ms / more;
    },
    prefill: (count) => async () => {
      const { prompt_ms, prompt_n } = await completeGreedily(wllama, textOf(count - 1, ++seed), 2);
      return (prompt_ms / prompt_n) * count;
    },
    dispose: () => wllama.exit(),
  };
}
