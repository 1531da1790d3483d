/**
 * Bounded memory: decoders load as streams, from shards of safetensors and from GGUF, in the memory that modelSize says.
 * The weights are random, 49 million of them, and this test writes them. A module's memory never shrinks, so its size
 * shows the most that was needed.
 */
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { goldenUrl, readGolden } from "./golden.js";

const MB = 1_000_000;
const [hidden, layers, width, words, heads, keyHeads] = [512, 12, 1536, 16_000, 8, 4] as const;
const config = {
  model_type: "llama",
  hidden_size: hidden,
  num_hidden_layers: layers,
  intermediate_size: width,
  num_attention_heads: heads,
  num_key_value_heads: keyHeads,
  vocab_size: words,
  max_position_embeddings: 2048,
  rms_norm_eps: 1e-5,
  tie_word_embeddings: true,
};
const keys = (hidden / heads) * keyHeads;

/** By the names of Hugging Face and of GGUF, in the order of both files. */
const tensors: [name: string, gguf: string, shape: number[]][] = [
  ["model.embed_tokens.weight", "token_embd.weight", [words, hidden]],
  ...Array.from({ length: layers }, (_, l): [string, string, number[]][] => {
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
  }).flat(),
  ["model.norm.weight", "output_norm.weight", [hidden]],
];
const elements = (shape: readonly number[]) => shape.reduce((all, each) => all * each, 1);
const parameterCount = tensors.reduce((sum, [, , shape]) => sum + elements(shape), 0);

/** Bytes that nothing repeats for a while. */
function randomBytes(count: number): Uint8Array {
  let state = 1;
  return Uint8Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
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

function* safetensors(own: typeof tensors): Generator<Uint8Array> {
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

/** https://github.com/ggml-org/ggml/blob/master/docs/gguf.md */
function* gguf(): Generator<Uint8Array> {
  const number = (value: number, size: 4 | 8) => {
    const bytes = Buffer.alloc(size);
    if (size === 4) bytes.writeUInt32LE(value);
    else bytes.writeBigUInt64LE(BigInt(value));
    return bytes;
  };
  const text = (value: string) => Buffer.concat([number(value.length, 8), Buffer.from(value)]);
  const real = (value: number) => Buffer.from(new Float32Array([value]).buffer);
  const wholes = {
    embedding_length: hidden,
    block_count: layers,
    feed_forward_length: width,
    "attention.head_count": heads,
    "attention.head_count_kv": keyHeads,
    context_length: 2048,
  };
  const metadata = [
    Buffer.concat([text("general.architecture"), number(8, 4), text("llama")]),
    Buffer.concat([text("llama.attention.layer_norm_rms_epsilon"), number(6, 4), real(1e-5)]),
    ...Object.entries(wholes).map(([key, value]) =>
      Buffer.concat([text(`llama.${key}`), number(4, 4), number(value, 4)]),
    ),
  ];
  let offset = 0;
  const infos = tensors.map(([, name, shape]) => {
    const isVector = shape.length === 1;
    const info = Buffer.concat([
      text(name),
      number(shape.length, 4),
      ...[...shape].reverse().map((size) => number(size, 8)),
      number(isVector ? 0 : 8, 4),
      number(offset, 8),
    ]);
    offset += isVector ? 4 * elements(shape) : (elements(shape) / 32) * 34;
    return info;
  });
  const header = Buffer.concat([
    Buffer.from("GGUF"),
    number(3, 4),
    number(tensors.length, 8),
    number(metadata.length, 8),
    ...metadata,
    ...infos,
  ]);
  yield header;
  yield new Uint8Array((32 - (header.length % 32)) % 32);
  for (const [, , shape] of tensors) {
    if (shape.length === 1) yield ones(elements(shape));
    else yield* repeated(q8, (elements(shape) / 32) * 34);
  }
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ropewalk-decoder-"));
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
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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
    console.log(
      `${stats.memoryBytes - before} bytes of memory more, ${stats.heapBytes - empty} in use; said: ${JSON.stringify(said.memory)}`,
    );
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
  expect(more).toBeGreaterThan((words * hidden * 5) / 8);
  expect(more).toBeLessThan((words * hidden * 5) / 8 + words * 40);
  expect(Math.abs(taken[1]! - taken[0]! - more)).toBeLessThan(0.1 * MB);
});

it("what does not fit is refused before it is read, with both numbers", async () => {
  const ropewalk = await (await import("ropewalk")).load();
  const large = 4_000_000;
  const shapes = tensors.map(([name, own, shape]): (typeof tensors)[number] => [
    name,
    own,
    shape[0] === words ? [large, hidden] : shape,
  ]);
  const all = safetensors(shapes);
  const header = Buffer.concat([all.next().value!, all.next().value!]);
  const endless = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(header),
    pull: () => new Promise(() => {}),
  });
  const files = { "config.json": { ...config, vocab_size: large }, "model.safetensors": new Response(endless) };
  const refused = ropewalk.decoder(files);
  await expect(refused).rejects.toThrow(/^decoder: loading needs \d+ bytes of memory; allowed: \d+, which can be had$/);
  await expect(refused).rejects.toMatchObject({ code: "out-of-memory" });
});

it("modelSize tells encoders from decoders by their configuration", async () => {
  const ropewalk = await (await import("ropewalk")).load();
  const folderOf = (name: string) => fileURLToPath(goldenUrl(name));
  const encoder = await ropewalk.modelSize(folderOf("encoders/bert-minilm"));
  expect(encoder.matrices.length).toBeGreaterThan(0);
  // The configuration as a Response, which can be read once.
  const config = () => new Response(JSON.stringify(readGolden("decoders/llama/config.json")));
  const weights = () => new Response(readFileSync(goldenUrl("decoders/llama/model.safetensors")));
  const files = { "config.json": config(), "model.safetensors": weights() };
  const decoder = await ropewalk.modelSize(files, { context: 8 });
  expect(decoder).toMatchObject({
    matrices: [],
    parameters: (await ropewalk.decoder(folderOf("decoders/llama"))).parameterCount,
  });
  expect(decoder.memory.peak).toBeGreaterThan(decoder.memory.loaded);
  // Meta's weights have an output of their own.
  const meta = await ropewalk.modelSize(folderOf("decoders/llama-meta"));
  expect(meta.parameters).toBeGreaterThan(decoder.parameters);
  await expect(ropewalk.modelSize({ "config.json": { model_type: "mamba" } })).rejects.toMatchObject({
    code: "unsupported",
    argument: "model_type",
  });
  await expect(ropewalk.modelSize({})).rejects.toThrow(/^modelSize: `files` has no config.json/);
  await expect(ropewalk.modelSize(folderOf("decoders/llama"), { context: 0 })).rejects.toThrow(/`context` is 0/);
});
