// The steps of every host, in this order: rotation, analysis, a model, the same model in two workers, a model whose calls
// have threads, training.
// This file imports nothing of the project, since each project under test gets a copy.

export const STEPS = ["rotate", "analysis", "model", "workers", "threads", "trainer"];

const WORKERS_TIMEOUT_MS = 120_000;
/** Threads are missed by nobody: where they do not start, one does all. */
const THREADS_WAIT_MS = 10_000;
const SENTENCE = "the captain gave the [MASK] to the sailor";

/** There and back at position 1,000,000. */
async function rotate(load) {
  const ropewalk = await load();
  const rope = ropewalk.rope({ headDim: 64, pairing: "half", frequencies: { type: "default", base: 500000 } });
  const placement = { sequence: 2, heads: 12, positions: 1_000_000 };
  const x = Float32Array.from({ length: 2 * 12 * 64 }, (_, i) => Math.sin(i));
  const rotated = rope.rotate(x, placement);
  const back = rope.unrotate(rotated, placement);
  rope.dispose();
  const distance = (other) => Math.max(...x.map((value, i) => Math.abs(value - other[i])));
  if (!(distance(back) < 1e-6 && distance(rotated) > 0.1)) {
    throw new Error(`rotating moved by ${distance(rotated)}, and there and back by ${distance(back)}`);
  }
  return Array.from(rotated.subarray(0, 4)).join(" ");
}

async function analysis(load) {
  const ropewalk = await load({ analysis: true });
  const rope = ropewalk.rope({ headDim: 64 });
  const { text } = rope.explain({ context: 4096 });
  const decay = rope.decay([0, 1, 100]);
  rope.dispose();
  if (!text || decay.length !== 3) throw new Error(`explain gave ${text.length} characters, decay ${decay.length}`);
  return Array.from(decay, (value) => value.toFixed(6)).join(" ");
}

const told = ([best]) => `${best.tokenStr} ${best.score.toFixed(4)}`;

async function model(load, files) {
  const ropewalk = await load();
  const roformer = await ropewalk.encoder(files);
  const [filled] = await roformer.fillMask(SENTENCE);
  roformer.dispose();
  return told(filled);
}

async function workers(load, files) {
  const ropewalk = await load();
  let timer;
  const late = new Promise((_, reject) => {
    const error = new Error(`no answer within ${WORKERS_TIMEOUT_MS / 1000} s`);
    timer = setTimeout(() => reject(error), WORKERS_TIMEOUT_MS);
  });
  try {
    const roformer = await Promise.race([ropewalk.encoder(files, { workers: 2 }), late]);
    const both = Promise.all([roformer.fillMask(SENTENCE), roformer.fillMask(SENTENCE)]);
    const filled = await Promise.race([both, late]);
    roformer.dispose();
    return [...new Set(filled.map(([each]) => told(each)))].join(" / ");
  } finally {
    clearTimeout(timer);
  }
}

/** A BERT of 1.1 million parameters, in memory: as few as `load()` starts threads for. */
function largeModel() {
  const [hidden, intermediate, words, places] = [256, 1024, 1000, 64];
  const names = [];
  const add = (name, outputs, inputs) => {
    names.push([`${name}.weight`, inputs ? [outputs, inputs] : [outputs]], [`${name}.bias`, [outputs]]);
  };
  const table = (name, rows) => names.push([`embeddings.${name}_embeddings.weight`, [rows, hidden]]);
  table("word", words);
  table("position", places);
  table("token_type", 2);
  add("embeddings.LayerNorm", hidden);
  for (const name of ["query", "key", "value"]) add(`encoder.layer.0.attention.self.${name}`, hidden, hidden);
  add("encoder.layer.0.attention.output.dense", hidden, hidden);
  add("encoder.layer.0.attention.output.LayerNorm", hidden);
  add("encoder.layer.0.intermediate.dense", intermediate, hidden);
  add("encoder.layer.0.output.dense", hidden, intermediate);
  add("encoder.layer.0.output.LayerNorm", hidden);
  const header = {};
  let end = 0;
  for (const [name, shape] of names) {
    const begin = end;
    end += 4 * shape.reduce((product, each) => product * each, 1);
    header[name] = { dtype: "F32", shape, data_offsets: [begin, end] };
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const file = new Uint8Array(8 + text.length + end);
  new DataView(file.buffer).setBigUint64(0, BigInt(text.length), true);
  file.set(text, 8);
  const values = Float32Array.from({ length: end / 4 }, (_, i) => (((i * 7919) % 2003) / 2003 - 0.5) * 0.1);
  file.set(new Uint8Array(values.buffer), 8 + text.length);
  const config = {
    architectures: ["BertModel"],
    model_type: "bert",
    hidden_act: "gelu",
    hidden_size: hidden,
    intermediate_size: intermediate,
    layer_norm_eps: 1e-12,
    max_position_embeddings: places,
    num_attention_heads: 4,
    num_hidden_layers: 1,
    type_vocab_size: 2,
    vocab_size: words,
  };
  return { "config.json": config, "model.safetensors": file };
}

/** The same bits before and after threads have started, where they can. */
async function threads(load) {
  const ropewalk = await load();
  const encoder = await ropewalk.encoder(largeModel());
  const inputIds = Array.from({ length: 64 }, (_, i) => 1 + i * 13);
  const states = () => encoder.forward({ inputIds, sequence: 64 }).lastHiddenState;
  const before = states();
  const canShare = typeof SharedArrayBuffer === "function" && globalThis.crossOriginIsolated !== false;
  const end = Date.now() + THREADS_WAIT_MS;
  while (canShare && ropewalk.threads === 1 && Date.now() < end) await new Promise((go) => setTimeout(go, 10));
  const after = states();
  if (!before.every((value, i) => value === after[i])) throw new Error("threads changed the result");
  encoder.dispose();
  return { value: Array.from(after.subarray(0, 4)).join(" "), threads: [ropewalk.threads] };
}

/** Twenty steps of copying the first word of eight to the last place. */
async function trainer(load) {
  const ropewalk = await load();
  const config = {
    position_encoding: "rope",
    vocab_size: 12,
    hidden_size: 32,
    num_hidden_layers: 2,
    num_attention_heads: 2,
    intermediate_size: 64,
    hidden_dropout_prob: 0,
    attention_probs_dropout_prob: 0,
    initializer_range: 0.1,
  };
  const optimizer = { learningRate: 5e-3, warmupSteps: 20, totalSteps: 300 };
  const training = await ropewalk.trainer({ config, seed: 1, optimizer });
  let state = 1;
  const word = () => {
    state = (state * 16807) % 2147483647;
    return 1 + Math.floor((11 * state) / 2147483647);
  };
  const losses = Array.from({ length: 20 }, () => {
    const words = Array.from({ length: 32 }, () => Array.from({ length: 7 }, word));
    const inputIds = words.flatMap((row) => [...row, 0]);
    const labels = words.flatMap(([first]) => [-100, -100, -100, -100, -100, -100, -100, first]);
    return training.train({ inputIds, labels, batch: 32, sequence: 8 }).loss;
  });
  training.dispose();
  const [first, last] = [losses[0], losses.at(-1)];
  if (!(last < first)) throw new Error(`the loss went from ${first} to ${last}`);
  return `${first.toFixed(6)} ${last.toFixed(6)}`;
}

const RUN = { rotate, analysis, model, workers, threads, trainer };

function words(error) {
  const causes = [];
  for (let each = error; each; each = each.cause) causes.push(each.stack ?? String(each));
  return causes.join("\nCaused by: ");
}

/** The model below the address `base`, which ends with a slash: only these files are asked for. */
const filesAt = (base) =>
  Object.fromEntries(["config.json", "model.safetensors", "tokenizer.json"].map((name) => [name, base + name]));

/** { step: { value } or { error } } of the steps that are named; `threads` also says how many one call had. */
export async function runSteps(load, base, names = STEPS) {
  const results = {};
  for (const name of names) {
    try {
      const found = await RUN[name](load, filesAt(base));
      results[name] = typeof found === "string" ? { value: found } : found;
    } catch (error) {
      results[name] = { error: words(error) };
    }
  }
  return results;
}
