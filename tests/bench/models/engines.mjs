// The engines that run the models: opened from the host's files, called with a text of any length.
import { awaiting, calling } from "../harness/sampler.mjs";
import { configOf, idsOf, MODELS } from "./shapes.mjs";

/** The backend that ran: "native" with ropewalk-native, else the WebAssembly variant. */
export const ranOn = ({ backend, variant }) => (backend === "native" ? backend : variant);

/** The package: { at(length), dispose() }, `at` giving a candidate whose `result` is the last hidden state. */
export async function openRopewalk(host, name, precision, more = {}, variant = "simd") {
  const files = {
    "config.json": configOf(name, more),
    "model.safetensors": host.modelFile(`${name}/model.safetensors`),
  };
  const ropewalk = await host.ropewalk(variant);
  const model = await ropewalk.encoder(files, { precision });
  if (ranOn(ropewalk) !== variant) throw new Error(`${ranOn(ropewalk)} ran for ${variant}`);
  return {
    at(length) {
      const input = { inputIds: idsOf(MODELS[name], length), sequence: length };
      const run = () => model.forward(input, { logits: false }).lastHiddenState;
      return { run, candidate: calling("", "", run) };
    },
    dispose: () => model.dispose(),
  };
}

/** onnxruntime, on the web or native, with one of files.mjs' graphs. */
export async function openOnnx(host, ort, name, file) {
  const session = await ort.open(await host.modelBytes(`${name}/${file}.onnx`));
  return {
    at(length) {
      const inputs = {
        input_ids: BigInt64Array.from(idsOf(MODELS[name], length), BigInt),
        attention_mask: new BigInt64Array(length).fill(1n),
        token_type_ids: new BigInt64Array(length),
      };
      const feeds = Object.fromEntries(
        session.inputNames.map((input) => [input, new ort.Tensor("int64", inputs[input], [1, length])]),
      );
      const run = async () => (await session.run(feeds))[session.outputNames[0]].data;
      return { run, candidate: awaiting("", "", run) };
    },
    dispose: () => session.release(),
  };
}

/** The cosine of the angle between two results. */
export function cosineOf(a, b) {
  if (a.length !== b.length) throw new RangeError(`results of ${a.length} and ${b.length} numbers`);
  let [product, first, second] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    product += a[i] * b[i];
    first += a[i] * a[i];
    second += b[i] * b[i];
  }
  return product / Math.sqrt(first * second);
}

/**
 * How alike two engines' results must be: float32 up to the order of sums, int8 up to the rounding of activations, which
 * adds up over layers of random weights.
 */
export const ALIKE = { float32: 0.9999, int8: 0.97 };

/** The engine's candidate, with the cosine of its result to `first.result`, which is set where there is none yet. */
export async function checked(engine, length, first, precision) {
  const { run, candidate } = await engine.at(length);
  const begun = performance.now();
  const result = await run();
  const took = performance.now() - begun;
  first.result ??= result.slice();
  const cosine = cosineOf(first.result, result);
  if (!(cosine >= ALIKE[precision])) throw new Error(`its result is wrong: its cosine to the first is ${cosine}`);
  return { ...candidate, took, cosine };
}
