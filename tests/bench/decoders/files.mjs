// The decoder's files, of the same weights: a checkpoint, and a graph for onnxruntime as exporters of decoders write it.

import { levels, matrixScale, scaled, TABLE_SCALE, transposed, vector } from "../models/weights.mjs";
import { FLOAT, Graph, INT32 } from "../onnx/graph.mjs";
import { CONTEXT, DECODER } from "./shape.mjs";

const MS = "com.microsoft";
const WORDS = "model.embed_tokens.weight";

/** [{ name, shape, values() }], as models/parameters.mjs has them. */
export function decoderParameters() {
  const { hidden, layers, heads, keyHeads, dim, intermediate, vocabulary } = DECODER;
  const matrix = (name, outputs, inputs) => ({
    name,
    shape: [outputs, inputs],
    values: () => scaled(levels(name, outputs * inputs), matrixScale(inputs)),
  });
  const gain = (name) => ({ name, shape: [hidden], values: () => vector(name, hidden, 1) });
  const layer = (prefix) => [
    gain(`${prefix}.input_layernorm.weight`),
    matrix(`${prefix}.self_attn.q_proj.weight`, heads * dim, hidden),
    matrix(`${prefix}.self_attn.k_proj.weight`, keyHeads * dim, hidden),
    matrix(`${prefix}.self_attn.v_proj.weight`, keyHeads * dim, hidden),
    matrix(`${prefix}.self_attn.o_proj.weight`, hidden, heads * dim),
    gain(`${prefix}.post_attention_layernorm.weight`),
    matrix(`${prefix}.mlp.gate_proj.weight`, intermediate, hidden),
    matrix(`${prefix}.mlp.up_proj.weight`, intermediate, hidden),
    matrix(`${prefix}.mlp.down_proj.weight`, hidden, intermediate),
  ];
  return [
    {
      name: WORDS,
      shape: [vocabulary, hidden],
      values: () => scaled(levels(WORDS, vocabulary * hidden), TABLE_SCALE),
    },
    ...Array.from({ length: layers }, (_, l) => layer(`model.layers.${l}`)).flat(),
    gain("model.norm.weight"),
  ];
}

/**
 * Weights of 8 bits with one scale each, activations quantised on the way ("q8" of transformers.js), attention and its
 * cache in one operator. Inputs input_ids and attention_mask, int64, and keys and values of each layer; outputs those of
 * the longer cache in the same order, and last the logits of the last token.
 */
export function decoderGraph() {
  const { hidden, layers, heads, keyHeads, dim, intermediate, vocabulary, epsilon, base } = DECODER;
  const graph = new Graph({ opset: 19 });
  const known = new Set();
  const constant = (name, dims, make) => {
    if (!known.has(name)) graph.weight(name, dims, make());
    known.add(name);
    return name;
  };
  const number = (value) => constant(`number ${value}`, [], () => Float32Array.of(value));
  const list = (value) => constant(`list ${value}`, [1], () => BigInt64Array.of(BigInt(value)));
  const zero = () => constant("zero", [], () => Int8Array.of(0));
  const gain = (name) => constant(name, [hidden], () => vector(name, hidden, 1));
  const linear = (x, name, outputs, inputs, scale = matrixScale(inputs)) => {
    const weight = () => transposed(levels(name, outputs * inputs), outputs, inputs);
    const factor = constant(`${name} turned`, [inputs, outputs], weight);
    return graph.node("DynamicQuantizeMatMul", [x, factor, number(scale), zero()], {}, MS);
  };
  const rotations = (of) =>
    constant(of, [CONTEXT, dim / 2], () =>
      Float32Array.from({ length: (CONTEXT * dim) / 2 }, (_, at) => {
        const [position, pair] = [Math.floor(at / (dim / 2)), at % (dim / 2)];
        return Math[of](position * base ** ((-2 * pair) / dim));
      }),
    );
  const eps = { epsilon: { float: epsilon } };

  const ids = graph.input("input_ids", ["batch", "sequence"], "int64");
  const mask = graph.input("attention_mask", ["batch", "total"], "int64");
  const counted = graph.node("ReduceSum", [mask, list(1)], { keepdims: 0 });
  const lengths = graph.node("Cast", [graph.node("Sub", [counted, list(1)])], { to: INT32 });
  const index = constant("index", [], () => BigInt64Array.of(1n));
  const total = graph.node("Cast", [graph.node("Gather", [graph.node("Shape", [mask]), index])], { to: INT32 });
  const table = constant(WORDS, [vocabulary, hidden], () => levels(WORDS, vocabulary * hidden));
  const words = graph.node("Gather", [table, ids]);
  let sum = graph.node("DequantizeLinear", [words, number(TABLE_SCALE), zero()]);
  let x = graph.node("SimplifiedLayerNormalization", [sum, gain("model.layers.0.input_layernorm.weight")], {
    axis: -1,
    stash_type: FLOAT,
    ...eps,
  });
  const addAndNorm = (added, norm) =>
    graph.nodeOf("SkipSimplifiedLayerNormalization", [sum, added, gain(norm)], [true, false, false, true], eps, MS);
  const present = [];
  for (let l = 0; l < layers; l++) {
    const prefix = `model.layers.${l}`;
    const past = ["key", "value"].map((each) =>
      graph.input(`past_key_values.${l}.${each}`, ["batch", keyHeads, "past", dim]),
    );
    const qkv = ["q", "k", "v"].map((each) =>
      linear(x, `${prefix}.self_attn.${each}_proj.weight`, (each === "q" ? heads : keyHeads) * dim, hidden),
    );
    const [context, key, value] = graph.nodeOf(
      "GroupQueryAttention",
      [...qkv, ...past, lengths, total, rotations("cos"), rotations("sin")],
      [true, true, true],
      { num_heads: heads, kv_num_heads: keyHeads, do_rotary: 1 },
      MS,
    );
    present.push(key, value);
    const attended = linear(context, `${prefix}.self_attn.o_proj.weight`, hidden, heads * dim);
    [x, sum] = addAndNorm(attended, `${prefix}.post_attention_layernorm.weight`);
    const gate = linear(x, `${prefix}.mlp.gate_proj.weight`, intermediate, hidden);
    const silu = graph.node("Mul", [gate, graph.node("Sigmoid", [gate])]);
    const inner = graph.node("Mul", [silu, linear(x, `${prefix}.mlp.up_proj.weight`, intermediate, hidden)]);
    const narrow = linear(inner, `${prefix}.mlp.down_proj.weight`, hidden, intermediate);
    const next = l + 1 < layers ? `model.layers.${l + 1}.input_layernorm.weight` : "model.norm.weight";
    [x, sum] = addAndNorm(narrow, next);
  }
  const last = graph.node("Slice", [x, list(-1), list(1 << 30), list(1)]);
  const logits = linear(last, WORDS, vocabulary, hidden, TABLE_SCALE);
  for (const each of present) graph.output(each, ["batch", keyHeads, "total", dim]);
  graph.output(logits, ["batch", 1, vocabulary]);
  return graph.parts();
}
