// The encoder of a RoFormer in float64, straight from the formulas: what the engines' answers are held to.

/** Last hidden state [length, hidden] of the model whose `tensors` these are. */
export function encoderReference(tensors, { heads, layers }, ids) {
  const get = (name) => tensors[name].values;
  const hidden = tensors["embeddings.LayerNorm.weight"].shape[0];
  const words = get("embeddings.word_embeddings.weight");
  const types = get("embeddings.token_type_embeddings.weight");
  let x = Float64Array.from({ length: ids.length * hidden }, (_, i) => {
    const channel = i % hidden;
    return words[ids[Math.floor(i / hidden)] * hidden + channel] + types[channel];
  });
  x = layerNorm(x, get("embeddings.LayerNorm.weight"), get("embeddings.LayerNorm.bias"));
  for (let l = 0; l < layers; l++) {
    const name = `encoder.layer.${l}.`;
    const dense = (input, part) => linear(input, tensors[`${name}${part}.weight`], get(`${name}${part}.bias`));
    const norm = (input, part) => layerNorm(input, get(`${name}${part}.weight`), get(`${name}${part}.bias`));
    const [q, k, v] = ["query", "key", "value"].map((each) => dense(x, `attention.self.${each}`));
    const context = attention(rotated(q, hidden, heads), rotated(k, hidden, heads), v, hidden, heads);
    x = norm(sum(dense(context, "attention.output.dense"), x), "attention.output.LayerNorm");
    const inner = dense(x, "intermediate.dense").map((each) => 0.5 * each * (1 + erf(each / Math.SQRT2)));
    x = norm(sum(dense(inner, "output.dense"), x), "output.LayerNorm");
  }
  return x;
}

const sum = (a, b) => a.map((each, i) => each + b[i]);

function linear(x, { shape: [outputs, inputs], values: weight }, bias) {
  const rows = x.length / inputs;
  const y = new Float64Array(rows * outputs);
  for (let r = 0; r < rows; r++) {
    for (let o = 0; o < outputs; o++) {
      let total = bias[o];
      for (let i = 0; i < inputs; i++) total += x[r * inputs + i] * weight[o * inputs + i];
      y[r * outputs + o] = total;
    }
  }
  return y;
}

function layerNorm(x, gamma, beta) {
  const width = gamma.length;
  const y = new Float64Array(x.length);
  for (let at = 0; at < x.length; at += width) {
    const row = x.subarray(at, at + width);
    const mean = row.reduce((total, each) => total + each, 0) / width;
    const variance = row.reduce((total, each) => total + (each - mean) ** 2, 0) / width;
    for (let i = 0; i < width; i++) y[at + i] = ((row[i] - mean) / Math.sqrt(variance + 1e-12)) * gamma[i] + beta[i];
  }
  return y;
}

/** Equation 34 of the RoFormer paper: interleaved pairs, base 10000. */
function rotated(x, hidden, heads) {
  const dim = hidden / heads;
  const y = new Float64Array(x.length);
  for (let at = 0; at < x.length; at += 2) {
    const angle = Math.floor(at / hidden) * 10000 ** (-(at % dim) / dim);
    y[at] = x[at] * Math.cos(angle) - x[at + 1] * Math.sin(angle);
    y[at + 1] = x[at] * Math.sin(angle) + x[at + 1] * Math.cos(angle);
  }
  return y;
}

function attention(q, k, v, hidden, heads) {
  const length = q.length / hidden;
  const dim = hidden / heads;
  const y = new Float64Array(q.length);
  for (let h = 0; h < heads; h++) {
    for (let i = 0; i < length; i++) {
      const scores = Array.from({ length }, (_, j) => {
        let dot = 0;
        for (let c = h * dim; c < (h + 1) * dim; c++) dot += q[i * hidden + c] * k[j * hidden + c];
        return dot / Math.sqrt(dim);
      });
      const highest = Math.max(...scores);
      const weights = scores.map((each) => Math.exp(each - highest));
      const total = weights.reduce((a, b) => a + b, 0);
      for (let j = 0; j < length; j++) {
        for (let c = h * dim; c < (h + 1) * dim; c++) y[i * hidden + c] += (weights[j] / total) * v[j * hidden + c];
      }
    }
  }
  return y;
}

/** By its series where that is short, and by the continued fraction of erfc beyond: about 1e-12. */
function erf(x) {
  const t = Math.abs(x);
  if (t > 6) return Math.sign(x);
  if (t < 2.5) {
    let term = t;
    let total = t;
    for (let n = 1; n < 60; n++) {
      term *= (-t * t) / n;
      total += term / (2 * n + 1);
    }
    return (Math.sign(x) * 2 * total) / Math.sqrt(Math.PI);
  }
  let fraction = t;
  for (let n = 40; n >= 1; n--) fraction = t + n / 2 / fraction;
  return Math.sign(x) * (1 - Math.exp(-t * t) / (fraction * Math.sqrt(Math.PI)));
}
