// A forward pass of the encoder, from ids to the last hidden state in a JavaScript array.
import { measureGroup } from "../harness/group.mjs";
import { awaiting, calling } from "../harness/sampler.mjs";
import { encoderModel } from "../onnx/encoder.mjs";
import { encoderReference } from "../reference/encoder.mjs";
import { tables } from "../reference/rotation.mjs";
import { readSafetensors } from "../reference/safetensors.mjs";
import { ENCODER, LENGTHS } from "../shapes.mjs";
import { CONFIG, checkpoint, idsOf } from "./model-source.mjs";

export async function encoderSuite(host, { timing, quick, report }) {
  const weights = await checkpoint(host);
  const tensors = readSafetensors(weights);
  for (const length of quick ? [128] : LENGTHS) report(await encoderGroup(host, weights, tensors, length, timing));
}

/** Operations of the matrix products, attention's included. */
export function operations(length, { hidden, layers, intermediate } = ENCODER) {
  return layers * (2 * length * hidden * (4 * hidden + 2 * intermediate) + 4 * length * length * hidden);
}

/** The first tokens of a longer text depend on all others, so each length has a reference of its own. */
export function encoderCheck(tensors, length) {
  const expected = encoderReference(tensors, ENCODER, idsOf(length));
  return (hidden) => {
    const off = hidden.findIndex((each, i) => !(Math.abs(each - expected[i]) <= 1e-4));
    if (off >= 0) throw new Error(`its result is wrong at ${off}: ${hidden[off]} for ${expected[off]}`);
  };
}

/** onnxruntime's way, on the web or native. */
export async function onnxEncoder(ort, tensors, length, check) {
  const { model, output } = encoderModel(tensors, ENCODER, length, tables(length, ENCODER.hidden / ENCODER.heads));
  const session = await ort.open(model);
  const feeds = { ids: new ort.Tensor("int64", BigInt64Array.from(idsOf(length), BigInt), [1, length]) };
  check((await session.run(feeds))[output].data);
  return awaiting("", "", () => session.run(feeds), { dispose: () => session.release() });
}

/** The model of those weights, checked unless somebody has done so. */
export async function ropewalkEncoder(host, weights, length, check = encoderCheck(readSafetensors(weights), length)) {
  const model = await (await host.ropewalk()).encoder({ "config.json": CONFIG, "model.safetensors": weights });
  const input = { inputIds: idsOf(length), sequence: length };
  const wants = { logits: false };
  check(model.forward(input, wants).lastHiddenState);
  return calling("", "", () => model.forward(input, wants), { dispose: () => model.dispose() });
}

function encoderGroup(host, weights, tensors, length, timing) {
  const check = encoderCheck(tensors, length);
  return measureGroup({
    suite: "encoder",
    host: host.name,
    key: String(length),
    title: `encoder, length ${length}`,
    work: { unit: "GFLOP/s", amount: operations(length) },
    makers: [
      { key: "ropewalk", label: "ropewalk", make: () => ropewalkEncoder(host, weights, length, check) },
      {
        key: "ort-call",
        label: "onnxruntime-web",
        make: async () => onnxEncoder(await host.ort(), tensors, length, check),
      },
    ],
    timing,
  });
}
