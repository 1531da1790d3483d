/**
 * Bounded memory: decoders load as streams, from shards of safetensors and from GGUF, in the memory that modelSize says.
 * The weights are random, 49 million of them, and this test writes them. A module's memory never shrinks, so its size
 * shows the most that was needed.
 */
import { closeSync, mkdirSync, openSync, statSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { testFolder } from "./command-line.js";
import { readUnwrapped } from "./files.js";
import { ggufHeader } from "./gguf-file.js";
import { goldenBytes, goldenPath, readGolden } from "./golden.js";
import { random } from "./safetensors-file.js";

const MB = 1_000_000;
const config = {
  model_type: "llama",
  hidden_size: 512,
  num_hidden_layers: 12,
  intermediate_size: 1536,
  num_attention_heads: 8,
  num_key_value_heads: 4,
  vocab_size: 16_000,
  max_position_embeddings: 2048,
  rms_norm_eps: 1e-5,
  tie_word_embeddings: true,
};
type Config = typeof config;
type Tensors = [name: string, gguf: string, shape: number[]][];

/** By the names of Hugging Face and of GGUF, in the order of both files. */
function tensorsOf({ hidden_size: hidden, intermediate_size: width, ...others }: Config): Tensors {
  const keys = (hidden / others.num_attention_heads) * others.num_key_value_heads;
  const layers = Array.from({ length: others.num_hidden_layers }, (_, l): Tensors => {
    const [from, to] = [`model.layers.${l}.`, `blk.${l}.`];
    return [
      [`${from}input_layernorm.weight`, `${to}attn_norm.weight`, [hidden]],
      [`${from}self_attn.q_proj.weight`, `${to}attn_q.weight`, [hidden, hidden]],
      [`${from}self_attn.k_proj.weight`, `${to}attn_k.weight`, [keys, hidden]],
      [`${from}self_attn.v_proj.weight`, `${to}attn_v.weight`, [keys, hidden]],
      [`${from}self_attn.o_proj.weight`, `${to}attn_output.weight`, [hidden, hidden]],
      [`${from}post_attention_layernorm.weight`, `${to}ffn_norm.weight`, [hidden]],
      [`${from}mlp.gate_proj.weight`, `${to}ffn_gate.weight`, [width, hidden]],
      [`${from}mlp.up_proj.weight`, `${to}ffn_up.weight`, [width, hidden]],
      [`${from}mlp.down_proj.weight`, `${to}ffn_down.weight`, [hidden, width]],
    ];
  });
  return [
    ["model.embed_tokens.weight", "token_embd.weight", [others.vocab_size, hidden]],
    ...layers.flat(),
    ["model.norm.weight", "output_norm.weight", [hidden]],
  ];
}
const tensors = tensorsOf(config);
const elements = (shape: readonly number[]) => shape.reduce((all, each) => all * each, 1);
const parameterCount = tensors.reduce((sum, [, , shape]) => sum + elements(shape), 0);

/** Bytes that nothing repeats for a while. */
function randomBytes(count: number): Uint8Array {
  const next = random(1);
  return Uint8Array.from({ length: count }, () => 256 * next());
}
/** bfloat16 numbers between 2^-7 and 2^-5, of either sign. */
const bfloat16 = randomBytes(2 * 100_003).map((byte, i) => (i % 2 === 0 ? byte : (byte & 0x80) | 0x3c));
/** Blocks of Q8_0 with the scale 2^-11. */
const q8 = randomBytes(34 * 10_007).map((byte, i) => [0, 0x10][i % 34] ?? byte);
const ones = (count: number) => new Uint8Array(new Float32Array(count).fill(1).buffer);
const halfOnes = (count: number) => new Uint8Array(new Uint16Array(count).fill(0x3f80).buffer);

function write(path: string, parts: Iterable<Uint8Array>): void {
  const file = openSync(path, "w");
  for (const part of parts) writeSync(file, part);
  closeSync(file);
}

function* repeated(source: Uint8Array, bytes: number): Generator<Uint8Array> {
  for (let left = bytes; left > 0; left -= source.length) yield source.subarray(0, left);
}

function* safetensors(own: Tensors): Generator<Uint8Array> {
  const header: Record<string, object> = {};
  let end = 0;
  for (const [name, , shape] of own) {
    const begin = end;
    end += 2 * elements(shape);
    header[name] = { dtype: "BF16", shape, data_offsets: [begin, end] };
  }
  const text = Buffer.from(JSON.stringify(header));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(text.length));
  yield size;
  yield text;
  for (const [, , shape] of own) {
    if (shape.length === 1) yield halfOnes(elements(shape));
    else yield* repeated(bfloat16, 2 * elements(shape));
  }
}

function* gguf(): Generator<Uint8Array> {
  const metadata = {
    "general.architecture": "llama",
    "llama.attention.layer_norm_rms_epsilon": { real: 1e-5 },
    "llama.embedding_length": config.hidden_size,
    "llama.block_count": config.num_hidden_layers,
    "llama.feed_forward_length": config.intermediate_size,
    "llama.attention.head_count": config.num_attention_heads,
    "llama.attention.head_count_kv": config.num_key_value_heads,
    "llama.context_length": config.max_position_embeddings,
  };
  let offset = 0;
  const infos = tensors.map(([, name, shape]) => {
    // Vectors are F32, matrices Q8_0.
    const isVector = shape.length === 1;
    const info = { name, shape, type: isVector ? 0 : 8, offset };
    offset += isVector ? 4 * elements(shape) : (elements(shape) / 32) * 34;
    return info;
  });
  yield ggufHeader(metadata, infos);
  for (const [, , shape] of tensors) {
    if (shape.length === 1) yield ones(elements(shape));
    else yield* repeated(q8, (elements(shape) / 32) * 34);
  }
}

const folder = testFolder("decoder-memory");
beforeAll(() => {
  mkdirSync(join(folder, "shards"));
  const [first, second] = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"] as const;
  const half = Math.floor(tensors.length / 2);
  write(join(folder, "shards", first), safetensors(tensors.slice(0, half)));
  write(join(folder, "shards", second), safetensors(tensors.slice(half)));
  const map = Object.fromEntries(tensors.map(([name], i) => [name, i < half ? first : second]));
  writeFileSync(join(folder, "shards/model.safetensors.index.json"), JSON.stringify({ weight_map: map }));
  writeFileSync(join(folder, "shards/config.json"), JSON.stringify(config));
  write(join(folder, "model.gguf"), gguf());
}, 240_000);

/** A module of its own for each, since memory never shrinks: two entries of the package share nothing. */
const loads = [
  ["shards of bfloat16", "shards", () => import("ropewalk")],
  ["a GGUF file", "model.gguf", () => import("ropewalk/external")],
] as const;

describe.each(loads)("%s", (_, name, entry) => {
  it("load in 8 bits in the memory that was said", { timeout: 240_000 }, async () => {
    const ropewalk = await (await entry()).load();
    const source = join(folder, name);
    const said = await ropewalk.modelSize(source, { precision: "int8" });
    expect(said.parameters).toBe(parameterCount);
    const before = ropewalk.stats().memoryBytes;
    const empty = ropewalk.stats().heapBytes;
    let [largestPiece, read] = [0, 0];
    const onProgress = (loaded: number) => {
      largestPiece = Math.max(largestPiece, loaded - read);
      read = loaded;
    };
    using model = await ropewalk.decoder(source, { precision: "int8", onProgress, context: 64 });
    expect(largestPiece).toBeLessThanOrEqual(4 * 2 ** 20);
    expect(read).toBe(said.download);
    if (name.endsWith(".gguf")) expect(said.download).toBe(statSync(source).size);
    const stats = ropewalk.stats();
    // 8 bits and a scale for each block of 32 columns, and nothing of the file.
    expect(stats.heapBytes - empty).toBeGreaterThan(parameterCount);
    expect(stats.heapBytes - empty).toBeLessThan(1.2 * parameterCount);
    expect(Math.abs(stats.heapBytes - empty - said.memory.loaded)).toBeLessThan(4 * MB);
    expect(stats.memoryBytes - before).toBeLessThan(said.memory.peak + 4 * MB);
    expect(model.parameterCount).toBe(parameterCount);
    expect(model.cache().feed([1, 2, 3]).every(Number.isFinite)).toBe(true);
  });
});

it("a screen of the output matrix takes the memory that was said", { timeout: 240_000 }, async () => {
  const ropewalk = await (await import("ropewalk")).load();
  const source = join(folder, "model.gguf");
  const said = [];
  const taken = [];
  for (const screen of [false, true]) {
    const { memory } = await ropewalk.modelSize(source, { precision: "int8", screen });
    said.push(memory.loaded);
    const empty = ropewalk.stats().heapBytes;
    using model = await ropewalk.decoder(source, { precision: "int8", context: 64, screen });
    expect(model.notes.join()).not.toContain("screen");
    taken.push(ropewalk.stats().heapBytes - empty);
  }
  const more = said[1]! - said[0]!;
  // 5 bits of each column, beside 8 bits and a scale for each 32 of them.
  const bits = (config.vocab_size * config.hidden_size * 5) / 8;
  expect(more).toBeGreaterThan(bits);
  expect(more).toBeLessThan(bits + config.vocab_size * 40);
  expect(Math.abs(taken[1]! - taken[0]! - more)).toBeLessThan(0.1 * MB);
});

/** The files of a model of whose weights nothing but the header ever comes. */
function filesOf(own: Config) {
  const all = safetensors(tensorsOf(own));
  const header = Buffer.concat([all.next().value!, all.next().value!]);
  const endless = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(header),
    pull: () => new Promise(() => {}),
  });
  return { "config.json": own, "model.safetensors": new Response(endless) };
}

it.each([
  ["1.7 billion", "8 bits", { hidden_size: 2048, num_hidden_layers: 28, intermediate_size: 6144, vocab_size: 151_936 }],
  ["450 million", "float32", { hidden_size: 1024, num_hidden_layers: 24, intermediate_size: 4096, vocab_size: 72_000 }],
] as const)("README's largest model, of %s parameters in %s, fits into 2 GiB", async (count, precision, sizes) => {
  const readme = readUnwrapped("README.md");
  expect(readme).toMatch(new RegExp(`2 GiB hold a decoder of at most .*\\b${count}.* in ${precision}\\b`));
  const ropewalk = await (await import("ropewalk")).load();
  const own = { ...config, ...sizes, num_attention_heads: 16, num_key_value_heads: 8 };
  const options = { precision: precision === "8 bits" ? "int8" : "float32", context: 2048 } as const;
  const { parameters, memory } = await ropewalk.modelSize(filesOf(own), options);
  expect(parameters).toBeGreaterThan(count === "1.7 billion" ? 1.7e9 : 4.5e8);
  expect(memory.peak).toBeLessThan(2 ** 31);
});

it("what does not fit is refused before it is read, with both numbers", async () => {
  const ropewalk = await (await import("ropewalk")).load();
  const refused = ropewalk.decoder(filesOf({ ...config, vocab_size: 4_000_000 }));
  await expect(refused).rejects.toThrow(/^decoder: loading needs \d+ bytes of memory; allowed: \d+, which can be had$/);
  await expect(refused).rejects.toMatchObject({ code: "out-of-memory" });
});

it("modelSize tells encoders from decoders by their configuration", async () => {
  const ropewalk = await (await import("ropewalk")).load();
  const encoder = await ropewalk.modelSize(goldenPath("encoders/bert-minilm"));
  expect(encoder.matrices.length).toBeGreaterThan(0);
  // The configuration as a Response, which can be read once.
  const config = () => new Response(JSON.stringify(readGolden("decoders/llama/config.json")));
  const weights = () => new Response(goldenBytes("decoders/llama/model.safetensors"));
  const files = { "config.json": config(), "model.safetensors": weights() };
  const decoder = await ropewalk.modelSize(files, { context: 8 });
  expect(decoder).toMatchObject({
    matrices: [],
    parameters: (await ropewalk.decoder(goldenPath("decoders/llama"))).parameterCount,
  });
  expect(decoder.memory.peak).toBeGreaterThan(decoder.memory.loaded);
  // Meta's weights have an output of their own.
  const meta = await ropewalk.modelSize(goldenPath("decoders/llama-meta"));
  expect(meta.parameters).toBeGreaterThan(decoder.parameters);
  await expect(ropewalk.modelSize({ "config.json": { model_type: "mamba" } })).rejects.toMatchObject({
    code: "unsupported",
    argument: "model_type",
  });
  await expect(ropewalk.modelSize({})).rejects.toThrow(/^modelSize: `files` has no config.json/);
  await expect(ropewalk.modelSize(goldenPath("decoders/llama"), { context: 0 })).rejects.toThrow(/`context` is 0/);
});
