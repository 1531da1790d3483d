// The encoder as an ONNX graph, from the same weights: RotaryEmbedding and MultiHeadAttention of com.microsoft, the
// fastest way found to say it to onnxruntime-web (of four: composed rotation, no fused attention and no rotation at all
// are as slow or slower).
import { Graph } from "./graph.mjs";

const MS = "com.microsoft";

/** Input "ids" [1, length] of int64; the output's name is returned with the bytes. */
export function encoderModel(tensors, { hidden, heads, layers }, length, { cos, sin }) {
  const graph = new Graph();
  const dim = hidden / heads;
  const constant = (name) => graph.weight(name, tensors[name].shape, tensors[name].values);
  /** A checkpoint's (outputs, inputs), as MatMul wants it. */
  const transposed = (name) => {
    const { shape, values } = tensors[name];
    const [outputs, inputs] = shape;
    const turned = new Float32Array(values.length);
    for (let o = 0; o < outputs; o++) for (let i = 0; i < inputs; i++) turned[i * outputs + o] = values[o * inputs + i];
    return graph.weight(name, [inputs, outputs], turned);
  };
  const dense = (x, name) =>
    graph.node("Add", [graph.node("MatMul", [x, transposed(`${name}.weight`)]), constant(`${name}.bias`)]);
  const norm = (x, name) =>
    graph.node("LayerNormalization", [x, constant(`${name}.weight`), constant(`${name}.bias`)], {
      epsilon: { float: 1e-12 },
    });

  const ids = graph.input("ids", [1, length], "int64");
  graph.weight("cos", [length, dim / 2], cos);
  graph.weight("sin", [length, dim / 2], sin);
  graph.weight("position", [1], BigInt64Array.of(0n));
  graph.weight("type", [hidden], tensors["embeddings.token_type_embeddings.weight"].values.slice(0, hidden));
  let x = graph.node("Gather", [constant("embeddings.word_embeddings.weight"), ids]);
  x = norm(graph.node("Add", [x, "type"]), "embeddings.LayerNorm");
  for (let l = 0; l < layers; l++) {
    const name = `encoder.layer.${l}.`;
    const [q, k, v] = ["query", "key", "value"].map((each) => dense(x, `${name}attention.self.${each}`));
    const rotate = (each) => graph.node("RotaryEmbedding", [each, "position", "cos", "sin"], { interleaved: 1 }, MS);
    const context = graph.node("MultiHeadAttention", [rotate(q), rotate(k), v], { num_heads: heads }, MS);
    const attended = dense(context, `${name}attention.output.dense`);
    x = norm(graph.node("Add", [attended, x]), `${name}attention.output.LayerNorm`);
    const inner = graph.node("Gelu", [dense(x, `${name}intermediate.dense`)]);
    x = norm(graph.node("Add", [dense(inner, `${name}output.dense`), x]), `${name}output.LayerNorm`);
  }
  graph.output(x, [1, length, hidden]);
  return { model: graph.model(), output: x };
}
