// The decoder as a GGUF file in Q8_0, for wllama, with a vocabulary just good enough to be loaded: behind 256 bytes each token is
// one character, so that a text of so many characters has so many tokens, and one more at its beginning.
import { levels, matrixScale, TABLE_SCALE, vector } from "../models/weights.mjs";
import { CONTEXT, DECODER } from "./shape.mjs";

const F32 = 0;
const Q8_0 = 8;
const BLOCK = 32;
const TYPES = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9 };
const SPECIAL = 3;
const BYTES = 256;

/** The character of a token behind the bytes, and so the text of tokens. */
const FIRST = 0x4e00;
const SECOND = { from: 20_902, start: 0x20000 };
const character = (i) => String.fromCodePoint(i < SECOND.from ? FIRST + i : SECOND.start + i - SECOND.from);
export const textOf = (count, seed) =>
  Array.from({ length: count }, (_, i) => character((seed * 977 + i * 7919) % 20_000)).join("");

/** The bits of a power of two as float16. */
const half = (power) => (Math.log2(power) + 15) << 10;

/** Rows of levels with the same scale everywhere, in blocks of 32. */
function inBlocks(values, scale) {
  const blocks = new Uint8Array((values.length / BLOCK) * (BLOCK + 2));
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.length);
  const bits = half(scale);
  for (let i = 0, at = 0; i < bytes.length; i += BLOCK, at += BLOCK + 2) {
    blocks[at] = bits & 255;
    blocks[at + 1] = bits >> 8;
    blocks.set(bytes.subarray(i, i + BLOCK), at + 2);
  }
  return blocks;
}

/** Rows of each head as llama.cpp has them: the two channels of a pair side by side. */
function permuted(values, heads, columns) {
  const rows = values.length / columns / heads;
  const turned = new Int8Array(values.length);
  for (let row = 0; row < values.length / columns; row++) {
    const [head, channel] = [Math.floor(row / rows), row % rows];
    const to = head * rows + (channel < rows / 2 ? 2 * channel : 2 * (channel - rows / 2) + 1);
    turned.set(values.subarray(row * columns, (row + 1) * columns), to * columns);
  }
  return turned;
}

/** [{ name, dims, type, bytes() }] */
function tensors() {
  const { hidden, layers, heads, keyHeads, dim, intermediate, vocabulary } = DECODER;
  const matrix = (name, source, outputs, inputs, { scale = matrixScale(inputs), turn = (values) => values } = {}) => ({
    name: `${name}.weight`,
    dims: [inputs, outputs],
    type: Q8_0,
    bytes: () => inBlocks(turn(levels(source, outputs * inputs)), scale),
  });
  const gain = (name, source) => ({
    name: `${name}.weight`,
    dims: [hidden],
    type: F32,
    bytes: () => new Uint8Array(vector(source, hidden, 1).buffer),
  });
  const layer = (from, to) => [
    gain(`${to}.attn_norm`, `${from}.input_layernorm.weight`),
    ...[
      ["q", heads],
      ["k", keyHeads],
    ].map(([each, count]) =>
      matrix(`${to}.attn_${each}`, `${from}.self_attn.${each}_proj.weight`, count * dim, hidden, {
        turn: (values) => permuted(values, count, hidden),
      }),
    ),
    matrix(`${to}.attn_v`, `${from}.self_attn.v_proj.weight`, keyHeads * dim, hidden),
    matrix(`${to}.attn_output`, `${from}.self_attn.o_proj.weight`, hidden, heads * dim),
    gain(`${to}.ffn_norm`, `${from}.post_attention_layernorm.weight`),
    matrix(`${to}.ffn_gate`, `${from}.mlp.gate_proj.weight`, intermediate, hidden),
    matrix(`${to}.ffn_up`, `${from}.mlp.up_proj.weight`, intermediate, hidden),
    matrix(`${to}.ffn_down`, `${from}.mlp.down_proj.weight`, hidden, intermediate),
  ];
  return [
    matrix("token_embd", "model.embed_tokens.weight", vocabulary, hidden, { scale: TABLE_SCALE }),
    ...Array.from({ length: layers }, (_, l) => layer(`model.layers.${l}`, `blk.${l}`)).flat(),
    gain("output_norm", "model.norm.weight"),
  ];
}

function metadata() {
  const { hidden, layers, heads, keyHeads, dim, intermediate, vocabulary, base, epsilon } = DECODER;
  const bytes = Array.from({ length: BYTES }, (_, i) => `<0x${i.toString(16).toUpperCase().padStart(2, "0")}>`);
  const words = ["<unk>", "<s>", "</s>", ...bytes];
  for (let i = 0; words.length < vocabulary; i++) words.push(character(i));
  const sizes = {
    context_length: CONTEXT,
    embedding_length: hidden,
    block_count: layers,
    feed_forward_length: intermediate,
    "attention.head_count": heads,
    "attention.head_count_kv": keyHeads,
    "rope.dimension_count": dim,
    vocab_size: vocabulary,
  };
  return [
    ["general.architecture", "string", "llama"],
    ["general.file_type", "u32", 7],
    ...Object.entries(sizes).map(([name, value]) => [`llama.${name}`, "u32", value]),
    ["llama.attention.layer_norm_rms_epsilon", "f32", epsilon],
    ["llama.rope.freq_base", "f32", base],
    ["tokenizer.ggml.model", "string", "llama"],
    ["tokenizer.ggml.tokens", ["string"], words],
    ["tokenizer.ggml.scores", ["f32"], words.map((_, i) => -i)],
    // Unknown and control tokens, and the others as words: bytes of a random model would be halves of characters.
    ["tokenizer.ggml.token_type", ["i32"], words.map((_, i) => (i === 0 ? 2 : i < SPECIAL ? 3 : 1))],
    ["tokenizer.ggml.bos_token_id", "u32", 1],
    ["tokenizer.ggml.eos_token_id", "u32", 2],
    ["tokenizer.ggml.unknown_token_id", "u32", 0],
    ["tokenizer.ggml.add_bos_token", "bool", true],
    ["tokenizer.ggml.add_space_prefix", "bool", false],
  ];
}

const u32 = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const u64 = (value) => Buffer.concat([u32(value % 2 ** 32), u32(Math.floor(value / 2 ** 32))]);
const f32 = (value) => Buffer.from(Float32Array.of(value).buffer);
const string = (text) => Buffer.concat([u64(Buffer.byteLength(text)), Buffer.from(text)]);
const written = { u32, i32: u32, f32, string, bool: (value) => Buffer.of(value ? 1 : 0) };
const padding = (length) => new Uint8Array((BLOCK - (length % BLOCK)) % BLOCK);

/** The file's pieces. */
export function* decoderGguf() {
  const all = tensors().map((each) => {
    const count = each.dims.reduce((product, size) => product * size, 1);
    return { ...each, size: each.type === F32 ? count * 4 : (count / BLOCK) * (BLOCK + 2) };
  });
  const facts = metadata();
  const head = [Buffer.from("GGUF"), u32(3), u64(all.length), u64(facts.length)];
  for (const [name, type, value] of facts) {
    head.push(string(name));
    if (!Array.isArray(type)) head.push(u32(TYPES[type]), written[type](value));
    else head.push(u32(TYPES.array), u32(TYPES[type[0]]), u64(value.length), ...value.map(written[type[0]]));
  }
  let at = 0;
  for (const { name, dims, type, size } of all) {
    head.push(string(name), u32(dims.length), ...dims.map(u64), u32(type), u64(at));
    at += size + padding(size).length;
  }
  const start = Buffer.concat(head);
  yield start;
  yield padding(start.length);
  for (const { bytes, size } of all) {
    yield bytes();
    yield padding(size);
  }
}
