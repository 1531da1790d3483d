// The engines that run the decoder: { step(ids): logits of the last, hold(count), dispose() }. `hold` makes the cache hold so many
// tokens.
import { CONTEXT, config, DECODER, idsOf } from "./shape.mjs";

/** The package. `fill` is a chunk that caches are filled with. */
export async function openRopewalk(host, precision = "int8") {
  const files = { "config.json": config, "model.safetensors": host.modelFile("smollm2/model.safetensors") };
  const model = await (await host.ropewalk()).decoder(files, { precision, context: CONTEXT });
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
export async function openOnnx(host) {
  const ort = await host.ort();
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
