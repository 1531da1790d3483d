// A checkpoint of ModernBERT-base's shape with random weights, for Node and for pages: made in pieces, so that nobody holds
// all of its 298 MB.

const [hidden, layers, width] = [768, 22, 1152];
const vocabulary = 50368;

export const config = {
  model_type: "modernbert",
  architectures: ["ModernBertForMaskedLM"],
  vocab_size: vocabulary,
  hidden_size: hidden,
  num_hidden_layers: layers,
  num_attention_heads: 12,
  intermediate_size: width,
  hidden_activation: "gelu",
  norm_eps: 1e-5,
  norm_bias: false,
  attention_bias: false,
  mlp_bias: false,
  global_attn_every_n_layers: 3,
  local_attention: 128,
  global_rope_theta: 160000,
  local_rope_theta: 10000,
  pad_token_id: 50283,
};

/** Names and shapes, in the order of the file. */
function shapes(words = vocabulary) {
  const all = [
    ["model.embeddings.tok_embeddings.weight", [words, hidden]],
    ["model.embeddings.norm.weight", [hidden]],
  ];
  for (let l = 0; l < layers; l++) {
    const layer = `model.layers.${l}.`;
    if (l > 0) all.push([`${layer}attn_norm.weight`, [hidden]]);
    all.push(
      [`${layer}attn.Wqkv.weight`, [3 * hidden, hidden]],
      [`${layer}attn.Wo.weight`, [hidden, hidden]],
      [`${layer}mlp_norm.weight`, [hidden]],
      [`${layer}mlp.Wi.weight`, [2 * width, hidden]],
      [`${layer}mlp.Wo.weight`, [hidden, width]],
    );
  }
  all.push(
    ["model.final_norm.weight", [hidden]],
    ["head.dense.weight", [hidden, hidden]],
    ["head.norm.weight", [hidden]],
    ["decoder.bias", [words]],
  );
  return all;
}

const elements = (shape) => shape.reduce((all, each) => all * each, 1);

export const parameterCount = shapes().reduce((sum, [, shape]) => sum + elements(shape), 0);

/** The bytes before the first tensor, and the size of the whole file. */
export function header(words = vocabulary) {
  const tensors = {};
  let end = 0;
  for (const [name, shape] of shapes(words)) {
    const begin = end;
    end += 2 * elements(shape);
    tensors[name] = { dtype: "BF16", shape, data_offsets: [begin, end] };
  }
  const text = new TextEncoder().encode(JSON.stringify(tensors));
  const bytes = new Uint8Array(8 + text.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(text.length), true);
  bytes.set(text, 8);
  return { bytes, size: bytes.length + end };
}

/** Random bfloat16 numbers of standard deviation 0.06: the upper halves of float32. */
function randomNumbers(count) {
  let state = 1;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  // A sum of four uniform numbers has the variance 1/3.
  const values = Float32Array.from({ length: count }, () => {
    return 0.06 * Math.sqrt(3) * (uniform() + uniform() + uniform() + uniform() - 2);
  });
  return new Uint16Array(values.buffer).filter((_, i) => i % 2 === 1);
}

/** The whole file, in pieces of at most 2 MB. */
export function* pieces() {
  yield header().bytes;
  // No row has a length that divides this, so rows differ.
  const random = randomNumbers(1_000_003);
  const ones = new Uint16Array(hidden).fill(0x3f80);
  for (const [name, shape] of shapes()) {
    const source = name.endsWith("norm.weight") ? ones : random;
    for (let left = elements(shape); left > 0; left -= source.length) {
      const part = source.subarray(0, left);
      yield new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
    }
  }
}
