// The parts of encoders as ONNX operators: `fused` as onnxruntime's own (com.microsoft), which it runs fastest, or as
// exporters write them and transformers.js loads them; float32, or `int8` as transformers.js' "q8": weights of 8 bits with
// one scale, activations quantised on the way (onnxruntime's dynamic quantisation).
import { FLOAT, INT32 } from "../onnx/graph.mjs";
import { RANDOM, transposed } from "./weights.mjs";

const MS = "com.microsoft";
/** Added to the score of a key that must not be seen. */
export const FAR = -3.4028234e38;

export class Operators {
  /** `shape` as in shapes.mjs, `source` as RANDOM of weights.mjs. */
  constructor(graph, shape, { int8, fused, source = RANDOM }) {
    this.source = source;
    this.graph = graph;
    this.shape = shape;
    this.int8 = int8;
    this.fused = fused;
    this.#known = new Set();
    this.#quantized = new Map();
  }

  #known;
  /** The nodes that quantise a value: one for all products that take it. */
  #quantized;

  /** A constant by its name, made when it is first asked for. */
  constant(name, dims, make) {
    if (!this.#known.has(name)) {
      this.#known.add(name);
      this.graph.weight(name, dims, make());
    }
    return name;
  }

  integers(...values) {
    return this.constant(`integers ${values}`, [values.length], () => BigInt64Array.from(values, BigInt));
  }

  number(value) {
    return this.constant(`number ${value}`, [], () => Float32Array.of(value));
  }

  #zero() {
    return this.constant("zero", [], () => Int8Array.of(0));
  }

  vector(name, count, around = 0) {
    return this.constant(name, [count], () => this.source.vector(name, count, around));
  }

  /** x times the transpose of the weight (outputs, inputs) of that name, plus its bias unless `bias` is false. */
  linear(x, name, outputs, inputs, { bias = true } = {}) {
    const added = bias ? this.vector(`${name}.bias`, outputs) : undefined;
    const plus = (y) => (added === undefined ? y : this.graph.node("Add", [y, added]));
    const matrix = `${name}.weight`;
    if (!this.int8) {
      const factor = this.constant(matrix, [inputs, outputs], () =>
        transposed(this.source.matrix(matrix, outputs, inputs), outputs, inputs),
      );
      return plus(this.graph.node("MatMul", [x, factor]));
    }
    const { values, scales } = this.source.matrixLevels(matrix, outputs, inputs);
    const factor = this.constant(matrix, [inputs, outputs], () => transposed(values, outputs, inputs));
    const scale =
      scales.length === 1 ? this.number(scales[0]) : this.constant(`${matrix} scales`, [outputs], () => scales);
    if (this.fused) {
      const rest = added === undefined ? [] : [added];
      return this.graph.node("DynamicQuantizeMatMul", [x, factor, scale, this.#zero(), ...rest], {}, MS);
    }
    const [q, qScale, qZero] = this.#quantize(x);
    const sums = this.graph.node("MatMulInteger", [q, factor, qZero, this.#zero()]);
    const floats = this.graph.node("Cast", [sums], { to: FLOAT });
    return plus(this.graph.node("Mul", [floats, this.graph.node("Mul", [qScale, scale])]));
  }

  #quantize(x) {
    if (!this.#quantized.has(x)) {
      this.#quantized.set(x, this.graph.nodeOf("DynamicQuantizeLinear", [x], [true, true, true]));
    }
    return this.#quantized.get(x);
  }

  /** Rows of the table of words. */
  words(name, ids) {
    const { vocabulary, hidden } = this.shape;
    if (!this.int8) {
      const table = this.constant(name, [vocabulary, hidden], () => this.source.table(name, vocabulary, hidden));
      return this.graph.node("Gather", [table, ids]);
    }
    const { values, scale } = this.source.tableLevels(name, vocabulary, hidden);
    const table = this.constant(name, [vocabulary, hidden], () => values);
    const rows = this.graph.node("Gather", [table, ids]);
    return this.graph.node("DequantizeLinear", [rows, this.number(scale), this.#zero()]);
  }

  /** Rows of a small table, which stays float32. */
  table(name, rows) {
    const { hidden } = this.shape;
    return this.constant(name, [rows, hidden], () => this.source.table(name, rows, hidden));
  }

  norm(x, name, { bias = true } = {}) {
    return this.graph.node("LayerNormalization", [x, ...this.#normWeights(name, bias)], this.#epsilon());
  }

  #normWeights(name, bias) {
    const { hidden } = this.shape;
    return [this.vector(`${name}.weight`, hidden, 1), ...(bias ? [this.vector(`${name}.bias`, hidden)] : [])];
  }

  #epsilon() {
    return { epsilon: { float: this.shape.epsilon } };
  }

  /** [the norm of a + b, a + b]. `late` is a bias that is added as well. */
  addAndNorm(a, b, name, { bias = true, late } = {}) {
    if (!this.fused) {
      const sum = this.graph.node("Add", [a, b]);
      return [this.norm(sum, name, { bias }), sum];
    }
    const weights = this.#normWeights(name, bias);
    const inputs = [a, b, ...weights];
    if (late !== undefined) inputs.push(late);
    // Between the norm and the sum it has outputs for training.
    return this.graph.nodeOf("SkipLayerNormalization", inputs, [true, false, false, true], this.#epsilon(), MS);
  }

  gelu(x) {
    if (this.fused) return this.graph.node("Gelu", [x], {}, MS);
    const error = this.graph.node("Erf", [this.graph.node("Div", [x, this.number(Math.SQRT2)])]);
    const share = this.graph.node("Mul", [x, this.graph.node("Add", [error, this.number(1)])]);
    return this.graph.node("Mul", [share, this.number(0.5)]);
  }

  /** Gelu of x plus a bias. */
  biasGelu(x, bias) {
    return this.graph.node("BiasGelu", [x, bias], {}, MS);
  }

  /** 0 for keys that the attention mask holds, FAR for the others: [batch, 1, 1, keys]. */
  padding(mask) {
    const kept = this.graph.node("Unsqueeze", [this.graph.node("Cast", [mask], { to: FLOAT }), this.integers(1, 2)]);
    return this.graph.node("Mul", [this.graph.node("Sub", [this.number(1), kept]), this.number(FAR)]);
  }

  /** The mask as the fused operator takes it. */
  keyMask(mask) {
    return this.graph.node("Cast", [mask], { to: INT32 });
  }

  /** `bias`: of queries, keys and values in one vector; `keys`: as keyMask; `added`: to the scores. */
  fusedAttention(q, k, v, { bias = "", keys = "", added = "" }) {
    const inputs = [q, k, v, bias, keys, added];
    return this.graph.node("MultiHeadAttention", inputs, { num_heads: this.shape.heads }, MS);
  }

  /** Attention in single operators; `added` to the scores. */
  attention(q, k, v, added) {
    const { hidden, heads } = this.shape;
    const dim = hidden / heads;
    const split = (x, perm) =>
      this.graph.node("Transpose", [this.graph.node("Reshape", [x, this.integers(0, 0, heads, dim)])], { perm });
    const scores = this.graph.node("MatMul", [split(q, [0, 2, 1, 3]), split(k, [0, 2, 3, 1])]);
    const small = this.graph.node("Div", [scores, this.number(Math.sqrt(dim))]);
    const shares = this.graph.node("Softmax", [this.graph.node("Add", [small, added])], { axis: -1 });
    const sums = this.graph.node("MatMul", [shares, split(v, [0, 2, 1, 3])]);
    const joined = this.graph.node("Transpose", [sums], { perm: [0, 2, 1, 3] });
    return this.graph.node("Reshape", [joined, this.integers(0, 0, hidden)]);
  }

  /** The length of the text: [1]. */
  length(ids) {
    return this.graph.node("Gather", [this.graph.node("Shape", [ids]), this.integers(1)], { axis: 0 });
  }

  /** The first `sizes` entries along `axes`. */
  leading(x, sizes, ...axes) {
    return this.graph.node("Slice", [x, this.integers(...axes.map(() => 0)), sizes, this.integers(...axes)]);
  }
}
