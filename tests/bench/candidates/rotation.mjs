// The ways to rotate, each checked when it is made. A problem is { shape, pairing, x, tables }.
import { awaiting, calling } from "../harness/sampler.mjs";
import { CHAIN, rotationChain } from "../onnx/chains.mjs";
import { checkRotation } from "../reference/rotation.mjs";
import { WasmModule } from "./wasm-module.mjs";

const placementOf = ([batch, sequence, heads]) => ({ batch, sequence, heads });

export async function ropewalkTensor(host, { shape, pairing, x, tables }) {
  const ropewalk = await host.ropewalk();
  const rope = ropewalk.rope({ headDim: shape[3], pairing });
  const tensor = ropewalk.tensor(shape, x);
  const placement = placementOf(shape);
  rope.rotate(tensor, placement);
  checkRotation(tensor.data, x, shape, pairing, tables);
  const dispose = () => {
    tensor.dispose();
    rope.dispose();
  };
  return calling("", "", () => rope.rotate(tensor, placement), { dispose });
}

/** From a JavaScript array and back into it. */
export async function ropewalkCopies(host, { shape, pairing, x, tables }) {
  const ropewalk = await host.ropewalk();
  const rope = ropewalk.rope({ headDim: shape[3], pairing });
  const array = x.slice();
  const placement = { ...placementOf(shape), out: array };
  rope.rotate(array, placement);
  checkRotation(array, x, shape, pairing, tables);
  return calling("", "", () => rope.rotate(array, placement), { dispose: () => rope.dispose() });
}

export async function plainC(host, { shape, pairing, x, tables }) {
  const module = await WasmModule.from(await host.module("plain"));
  const rotate = pairing === "half" ? module.plain_half : module.plain_interleaved;
  const [at, cos, sin] = [module.put(x), module.put(tables.cos), module.put(tables.sin)];
  const [batch, sequence, heads, dim] = shape;
  rotate(at, cos, sin, batch, sequence, heads, dim);
  checkRotation(module.view(at, x.length), x, shape, pairing, tables);
  return calling("", "", () => rotate(at, cos, sin, batch, sequence, heads, dim));
}

export async function scaleInPlace(host, { x }) {
  const module = await WasmModule.from(await host.module("limits"));
  const at = module.put(x);
  module.limit_scale(at, x.length, 2);
  if (module.view(at, x.length).some((each, i) => each !== 2 * x[i])) throw new Error("its result is wrong");
  return calling("", "", () => module.limit_scale(at, x.length, 1));
}

/** `nodes` chained RotaryEmbedding nodes of onnxruntime, from a JavaScript array to a JavaScript array. */
export async function onnxRotation(ort, nodes, { shape, pairing, x, tables }) {
  const { model, output } = rotationChain(nodes, shape, pairing, tables);
  const session = await ort.open(model);
  const [batch, sequence, heads, dim] = shape;
  const feeds = { x: new ort.Tensor("float32", x, [batch, sequence, heads * dim]) };
  if (nodes === 1) checkRotation((await session.run(feeds))[output].data, x, shape, pairing, tables);
  return awaiting("", "", () => session.run(feeds), { dispose: () => session.release() });
}

export { CHAIN };

/** As one composes it from tfjs's operators, on tensors that stay in its memory. */
export async function tfRotation(host, { shape, pairing, x, tables }) {
  const tf = await host.tf();
  const [batch, sequence, heads, dim] = shape;
  const pairs = dim / 2;
  const input = tf.tensor(x, shape);
  const interleaved = pairing === "interleaved";
  const rank5 = interleaved ? [batch, sequence, heads, pairs, 2] : null;
  const tableShape = [1, sequence, 1, pairs];
  const [cos, sin] = [tf.tensor(tables.cos, tableShape), tf.tensor(tables.sin, tableShape)];
  const rotate = () =>
    tf.tidy(() => {
      const cut = [batch, sequence, heads, pairs];
      let a;
      let z;
      if (interleaved) {
        const both = tf.reshape(input, rank5);
        const wanted = [...cut, 1];
        a = tf.reshape(tf.slice(both, [0, 0, 0, 0, 0], wanted), cut);
        z = tf.reshape(tf.slice(both, [0, 0, 0, 0, 1], wanted), cut);
      } else {
        a = tf.slice(input, [0, 0, 0, 0], cut);
        z = tf.slice(input, [0, 0, 0, pairs], cut);
      }
      const first = tf.sub(tf.mul(a, cos), tf.mul(z, sin));
      const second = tf.add(tf.mul(a, sin), tf.mul(z, cos));
      return interleaved ? tf.reshape(tf.stack([first, second], 4), shape) : tf.concat([first, second], 3);
    });
  const once = rotate();
  checkRotation(once.dataSync(), x, shape, pairing, tables);
  once.dispose();
  const dispose = () => tf.dispose([input, cos, sin]);
  return calling("", "", () => rotate().dispose(), { dispose });
}
