// The models as ONNX graphs, of the same weights as their checkpoints.
import { Graph } from "../onnx/graph.mjs";
import { FAR, Operators } from "./operators.mjs";
import { LONGEST, MODELS } from "./shapes.mjs";

/** Version of the operators that the graphs use, as transformers.js' exporter writes them. */
const OPSET = 19;

/**
 * The file's pieces; `source` of the weights as RANDOM of weights.mjs, which is the default, `output` a name for
 * the output. Inputs input_ids, attention_mask and for MiniLM token_type_ids, int64 [batch, sequence]; output
 * last_hidden_state [batch, sequence, hidden].
 */
export function modelGraph(name, { int8, fused, source, output }) {
  const graph = new Graph({ opset: OPSET });
  const shape = MODELS[name];
  const build = shape.gated ? modernBert : bert;
  const hidden = build(graph, new Operators(graph, shape, { int8, fused, source }), shape);
  graph.output(hidden, ["batch", "sequence", shape.hidden], output);
  return graph.parts();
}

const ids = (graph, name) => graph.input(name, ["batch", "sequence"], "int64");

function bert(graph, make, { hidden, layers, intermediate, positions }) {
  const words = ids(graph, "input_ids");
  const mask = ids(graph, "attention_mask");
  const types = ids(graph, "token_type_ids");
  const length = make.length(words);
  const places = make.leading(make.table("embeddings.position_embeddings.weight", positions), length, 0);
  const type = graph.node("Gather", [make.table("embeddings.token_type_embeddings.weight", 2), types]);
  const sum = graph.node("Add", [make.words("embeddings.word_embeddings.weight", words), type]);
  let x = make.norm(graph.node("Add", [sum, places]), "embeddings.LayerNorm");
  const hiding = make.fused ? make.keyMask(mask) : make.padding(mask);
  // The fused operators of float32 add a product's bias themselves, later.
  const late = make.fused && !make.int8;
  const lateBias = (name, count) => (late ? make.vector(`${name}.bias`, count) : undefined);
  for (let l = 0; l < layers; l++) {
    const prefix = `encoder.layer.${l}`;
    const context = selfAttention(make, x, `${prefix}.attention.self`, hidden, hiding);
    const out = `${prefix}.attention.output.dense`;
    const attended = make.linear(context, out, hidden, hidden, { bias: !late });
    [x] = make.addAndNorm(attended, x, `${prefix}.attention.output.LayerNorm`, { late: lateBias(out, hidden) });
    const up = `${prefix}.intermediate.dense`;
    const wide = make.linear(x, up, intermediate, hidden, { bias: !late });
    const inner = late ? make.biasGelu(wide, lateBias(up, intermediate)) : make.gelu(wide);
    const down = `${prefix}.output.dense`;
    const narrow = make.linear(inner, down, hidden, intermediate, { bias: !late });
    [x] = make.addAndNorm(narrow, x, `${prefix}.output.LayerNorm`, { late: lateBias(down, hidden) });
  }
  return x;
}

const PARTS = ["query", "key", "value"];

function selfAttention(make, x, prefix, hidden, hiding) {
  const [q, k, v] = PARTS.map((each) => make.linear(x, `${prefix}.${each}`, hidden, hidden, { bias: !make.fused }));
  if (!make.fused) return make.attention(q, k, v, hiding);
  const bias = make.constant(`${prefix}.bias`, [3 * hidden], () => {
    const all = new Float32Array(3 * hidden);
    for (const [i, each] of PARTS.entries()) all.set(make.source.vector(`${prefix}.${each}.bias`, hidden), i * hidden);
    return all;
  });
  return make.fusedAttention(q, k, v, { bias, keys: hiding });
}

function modernBert(graph, make, shape) {
  const { hidden, layers, intermediate, every } = shape;
  const words = ids(graph, "input_ids");
  const mask = ids(graph, "attention_mask");
  const masks = attentionMasks(graph, make, shape, make.length(words), mask);
  const rotate = rotation(graph, make, shape);
  const plain = { bias: false };
  let sum = make.norm(make.words("embeddings.tok_embeddings.weight", words), "embeddings.norm", plain);
  let x = sum;
  for (let l = 0; l < layers; l++) {
    const prefix = `layers.${l}`;
    const kind = l % every === 0 ? "global" : "local";
    const qkv = make.linear(x, `${prefix}.attn.Wqkv`, 3 * hidden, hidden, plain);
    const [q, k, v] = split(graph, qkv, make.integers(hidden, hidden, hidden), 3);
    const rotated = [rotate(q, kind), rotate(k, kind), v];
    const context = make.fused
      ? make.fusedAttention(...rotated, masks[kind])
      : make.attention(...rotated, masks[kind].added);
    const attended = make.linear(context, `${prefix}.attn.Wo`, hidden, hidden, plain);
    [x, sum] = make.addAndNorm(sum, attended, `${prefix}.mlp_norm`, plain);
    const wide = make.linear(x, `${prefix}.mlp.Wi`, 2 * intermediate, hidden, plain);
    const [gate, up] = split(graph, wide, make.integers(intermediate, intermediate), 2);
    const inner = graph.node("Mul", [make.gelu(gate), up]);
    const narrow = make.linear(inner, `${prefix}.mlp.Wo`, hidden, intermediate, plain);
    // The norm that the next layer's attention begins with.
    const next = l + 1 < layers ? `layers.${l + 1}.attn_norm` : "final_norm";
    [x, sum] = make.addAndNorm(sum, narrow, next, plain);
  }
  return x;
}

const split = (graph, x, sizes, count) => graph.nodeOf("Split", [x, sizes], new Array(count).fill(true), { axis: -1 });

/** The masks of layers with full attention, and of those with a window. */
function attentionMasks(graph, make, { window }, length, mask) {
  const table = make.constant("window", [1, 1, LONGEST, LONGEST], () =>
    Float32Array.from({ length: LONGEST ** 2 }, (_, at) => {
      const [i, j] = [Math.floor(at / LONGEST), at % LONGEST];
      return Math.abs(i - j) <= window ? 0 : FAR;
    }),
  );
  const seen = make.leading(table, graph.node("Concat", [length, length], { axis: 0 }), 2, 3);
  if (make.fused) return { global: { keys: make.keyMask(mask) }, local: { added: seen } };
  const padding = make.padding(mask);
  return { global: { added: padding }, local: { added: graph.node("Add", [seen, padding]) } };
}

function rotation(graph, make, { hidden, heads, bases }) {
  const dim = hidden / heads;
  const table = (kind, of) =>
    make.constant(`${of} ${kind}`, [LONGEST, dim / 2], () =>
      Float32Array.from({ length: (LONGEST * dim) / 2 }, (_, at) => {
        const [position, pair] = [Math.floor(at / (dim / 2)), at % (dim / 2)];
        return Math[of](position * bases[kind] ** ((-2 * pair) / dim));
      }),
    );
  return (x, kind) =>
    graph.node("RotaryEmbedding", [x, make.integers(0), table(kind, "cos"), table(kind, "sin")], {}, "com.microsoft");
}
