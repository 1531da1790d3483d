// The parameters of a model as its checkpoint names them: what is written to model.safetensors, and the names from which
// the ONNX graphs take the same weights.
import { levels, matrixScale, scaled, TABLE_SCALE, vector } from "./weights.mjs";

/** [{ name, shape, values() }], values in float32, matrices as (outputs, inputs). */
export const parametersOf = (name, shape) => (name === "minilm" ? bert(shape) : modernBert(shape));

const matrix = (name, outputs, inputs) => ({
  name: `${name}.weight`,
  shape: [outputs, inputs],
  values: () => scaled(levels(`${name}.weight`, outputs * inputs), matrixScale(inputs)),
});
const table = (name, rows, columns) => ({
  name: `${name}.weight`,
  shape: [rows, columns],
  values: () => scaled(levels(`${name}.weight`, rows * columns), TABLE_SCALE),
});
const bias = (name, count) => ({ name: `${name}.bias`, shape: [count], values: () => vector(`${name}.bias`, count) });
const gain = (name, count) => ({
  name: `${name}.weight`,
  shape: [count],
  values: () => vector(`${name}.weight`, count, 1),
});

function bert({ hidden, layers, intermediate, vocabulary, positions }) {
  const dense = (name, outputs, inputs) => [matrix(name, outputs, inputs), bias(name, outputs)];
  const norm = (name) => [gain(name, hidden), bias(name, hidden)];
  const layer = (prefix) => [
    ...["query", "key", "value"].flatMap((each) => dense(`${prefix}.attention.self.${each}`, hidden, hidden)),
    ...dense(`${prefix}.attention.output.dense`, hidden, hidden),
    ...norm(`${prefix}.attention.output.LayerNorm`),
    ...dense(`${prefix}.intermediate.dense`, intermediate, hidden),
    ...dense(`${prefix}.output.dense`, hidden, intermediate),
    ...norm(`${prefix}.output.LayerNorm`),
  ];
  return [
    table("embeddings.word_embeddings", vocabulary, hidden),
    table("embeddings.position_embeddings", positions, hidden),
    table("embeddings.token_type_embeddings", 2, hidden),
    ...norm("embeddings.LayerNorm"),
    ...Array.from({ length: layers }, (_, l) => layer(`encoder.layer.${l}`)).flat(),
  ];
}

function modernBert({ hidden, layers, intermediate, vocabulary }) {
  const layer = (prefix, first) => [
    // The embedding's norm stands in for that of the first layer's attention.
    ...(first ? [] : [gain(`${prefix}.attn_norm`, hidden)]),
    matrix(`${prefix}.attn.Wqkv`, 3 * hidden, hidden),
    matrix(`${prefix}.attn.Wo`, hidden, hidden),
    gain(`${prefix}.mlp_norm`, hidden),
    matrix(`${prefix}.mlp.Wi`, 2 * intermediate, hidden),
    matrix(`${prefix}.mlp.Wo`, hidden, intermediate),
  ];
  return [
    table("embeddings.tok_embeddings", vocabulary, hidden),
    gain("embeddings.norm", hidden),
    ...Array.from({ length: layers }, (_, l) => layer(`layers.${l}`, l === 0)).flat(),
    gain("final_norm", hidden),
  ];
}
