/** GGUF files of further encoders, written from golden checkpoints as llama.cpp's converter does, in the package. */
import { readdirSync, readFileSync } from "node:fs";
import { load } from "ropewalk";
import { describe, expect, it } from "vitest";
import { type GgufValue, ggufHeader, padded } from "./gguf-file.js";
import { goldenPath, readGolden } from "./golden.js";
import { differenceOf, expectNear } from "./near.js";

const ropewalk = await load();

interface Tensor {
  type: "F32" | "F16" | "BF16";
  shape: number[];
  bytes: Buffer;
}
type Checkpoint = Map<string, Tensor>;

function checkpointOf(folder: string): Checkpoint {
  const path = goldenPath(folder);
  const tensors: Checkpoint = new Map();
  for (const file of readdirSync(path).filter((name) => /^model.*\.safetensors$/.test(name))) {
    const bytes = readFileSync(`${path}/${file}`);
    const begin = 8 + Number(bytes.readBigUInt64LE());
    const header = JSON.parse(bytes.subarray(8, begin).toString()) as Record<
      string,
      { dtype: Tensor["type"]; shape: number[]; data_offsets: [number, number] }
    >;
    for (const [name, { dtype, shape, data_offsets: at }] of Object.entries(header))
      if (name !== "__metadata__")
        tensors.set(name, { type: dtype, shape, bytes: bytes.subarray(begin + at[0], begin + at[1]) });
  }
  return tensors;
}

function ggufOf(metadata: Record<string, GgufValue>, tensors: Checkpoint): Uint8Array<ArrayBuffer> {
  const data: Buffer[] = [];
  let offset = 0;
  const infos = [...tensors].map(([name, { type, shape, bytes }]) => {
    const info = { name, shape, type: { F32: 0, F16: 1, BF16: 30 }[type], offset };
    data.push(padded(bytes));
    offset += data.at(-1)!.length;
    return info;
  });
  return new Uint8Array(Buffer.concat([ggufHeader(metadata, infos), ...data]));
}

interface Converted {
  folder: string;
  architecture: string;
  /** Behind the architecture and a dot. */
  keys: Record<string, GgufValue>;
  /** Parts of names and what stands for them; what has none is left out, as are heads that embedders do not need. */
  names: readonly [RegExp, string][];
  change?: (tensors: Checkpoint) => void;
}

const BERT: Converted["names"] = [
  [/^(bert|roberta|distilbert)\./, ""],
  [/embeddings\.word_embeddings\./, "token_embd."],
  [/embeddings\.token_type_embeddings\./, "token_types."],
  [/embeddings\.position_embeddings\./, "position_embd."],
  [/(embeddings\.LayerNorm|emb_ln)\./, "token_embd_norm."],
  [/(encoder\.layers?|transformer\.layer)\./, "blk."],
  [/^layers\./, "blk."],
  [/attention\.self\.(q|k|v)(uery|ey|alue)\./, "attn_$1."],
  [/attention\.(q|k|v)_lin\./, "attn_$1."],
  [/attention\.(output\.dense|out_lin)\./, "attn_output."],
  [/(attention\.output\.LayerNorm|sa_layer_norm|norm1|post_attention_layernorm)\./, "attn_output_norm."],
  [/(\d)\.(output\.LayerNorm|output_layer_norm|norm2|mlp\.layernorm|post_mlp_layernorm)\./, "$1.layer_output_norm."],
  [/(intermediate\.dense|ffn\.lin1|mlp\.fc11|mlp\.fc1|mlp\.gated_layers)\./, "ffn_up."],
  [/(mlp\.fc12|mlp\.gated_layers_w)\./, "ffn_gate."],
  [/(\d)\.(output\.dense|ffn\.lin2|mlp\.fc2|mlp\.wo)\./, "$1.ffn_down."],
  [/(attn\.Wqkv|self_attn\.qkv_proj)\./, "attn_qkv."],
  [/(attn\.out_proj|self_attn\.o_proj)\./, "attn_output."],
  [/classifier\.dense\./, "cls."],
  [/classifier\.out_proj\./, "cls.output."],
];
const LLAMA: Converted["names"] = [
  [/^model\./, ""],
  [/^embed_tokens\./, "token_embd."],
  [/^norm\./, "output_norm."],
  [/^layers\./, "blk."],
  [/self_attn\.([qkv])_proj\./, "attn_$1."],
  [/self_attn\.([qk])_norm\./, "attn_$1_norm."],
  [/self_attn\.o_proj\./, "attn_output."],
  [/mlp\.(gate|up|down)_proj\./, "ffn_$1."],
  [/input_layernorm\./, "attn_norm."],
];
const PRE_NORM: Converted["names"] = [...LLAMA, [/post_attention_layernorm\./, "ffn_norm."]];

/** Rows of a table of positions that stand for padding. */
function withoutPadding(tensors: Checkpoint): void {
  for (const [name, tensor] of tensors) {
    if (!name.endsWith("position_embeddings.weight")) continue;
    const [rows, width] = tensor.shape as [number, number];
    tensors.set(name, {
      ...tensor,
      shape: [rows - 2, width],
      bytes: tensor.bytes.subarray((2 * tensor.bytes.length) / rows),
    });
  }
}

/** Queries, keys and values in one matrix. */
function inOneMatrix(tensors: Checkpoint): void {
  for (const [name, tensor] of [...tensors].filter(([each]) => each.includes("q_proj"))) {
    const parts = ["q_proj", "k_proj", "v_proj"].map((part) => name.replace("q_proj", part));
    const bytes = Buffer.concat(parts.map((part) => tensors.get(part)!.bytes));
    for (const part of parts) tensors.delete(part);
    const [rows, ...rest] = tensor.shape as [number, ...number[]];
    tensors.set(name.replace("q_proj", "qkv_proj"), { ...tensor, shape: [3 * rows, ...rest], bytes });
  }
}

/** The gates apart from the rest, as the converter did in 2024. */
function gatesApart(tensors: Checkpoint): void {
  for (const [name, tensor] of [...tensors].filter(([each]) => each.includes("gated_layers"))) {
    const [rows, width] = tensor.shape as [number, number];
    const [half, middle] = [[rows / 2, width], tensor.bytes.length / 2];
    const gates = { ...tensor, shape: half, bytes: tensor.bytes.subarray(0, middle) };
    tensors.set(name.replace("gated_layers", "gated_layers_w"), gates);
    tensors.set(name, { ...tensor, shape: half, bytes: tensor.bytes.subarray(middle) });
  }
}

/** The gains of a Gemma's norms with the 1 that the converter adds. */
function addOne(tensors: Checkpoint): void {
  for (const [name, tensor] of tensors) {
    if (!name.endsWith("norm.weight")) continue;
    expect(tensor.type).toBe("BF16");
    const upper = Array.from({ length: tensor.bytes.length / 2 }, (_, i) => tensor.bytes.readUInt16LE(2 * i));
    const gains = new Float32Array(Uint32Array.from(upper, (half) => half << 16).buffer).map((gain) => gain + 1);
    tensors.set(name, { ...tensor, type: "F32", bytes: Buffer.from(gains.buffer) });
  }
}

const layerNorm = (real: number, base?: number): Record<string, GgufValue> => ({
  "attention.layer_norm_epsilon": { real },
  "attention.causal": false,
  ...(base !== undefined && { "rope.freq_base": { real: base } }),
});
const rms = (real: number, base: number): Record<string, GgufValue> => ({
  "attention.layer_norm_rms_epsilon": { real },
  "rope.freq_base": { real: base },
});

const models: Converted[] = [
  { folder: "encoders-3/jina-v2", architecture: "jina-bert-v2", keys: layerNorm(1e-12), names: BERT },
  {
    folder: "encoders-3/jina-v2",
    architecture: "jina-bert-v2",
    keys: layerNorm(1e-12),
    names: BERT,
    change: gatesApart,
  },
  {
    folder: "encoders/nomic-v1_5",
    architecture: "nomic-bert",
    keys: layerNorm(1e-12, 1000),
    names: BERT,
  },
  {
    folder: "encoders/jina-v3",
    architecture: "jina-bert-v3",
    keys: { ...layerNorm(1e-5, 20000), pooling_type: 1 },
    names: BERT,
    change: inOneMatrix,
  },
  {
    folder: "encoders/distilbert",
    architecture: "bert",
    keys: { ...layerNorm(1e-12), pooling_type: 2 },
    names: BERT,
  },
  {
    folder: "encoders/roberta",
    architecture: "bert",
    keys: { ...layerNorm(1e-12), pooling_type: 1 },
    names: BERT,
    change: withoutPadding,
  },
  {
    folder: "encoders/xlm-roberta-reranker",
    architecture: "bert",
    keys: { ...layerNorm(1e-5), pooling_type: 4 },
    names: BERT,
    change: withoutPadding,
  },
  {
    folder: "encoders/eurobert",
    architecture: "eurobert",
    keys: { ...rms(1e-5, 250000), "attention.causal": false, "rope.scaling.type": "none" },
    names: PRE_NORM,
  },
  {
    folder: "encoders/embeddinggemma",
    architecture: "gemma-embedding",
    keys: rms(1e-6, 1000000),
    names: [
      ...LLAMA,
      [/post_attention_layernorm\./, "post_attention_norm."],
      [/pre_feedforward_layernorm\./, "ffn_norm."],
      [/post_feedforward_layernorm\./, "post_ffw_norm."],
    ],
    change: addOne,
  },
  {
    folder: "encoders/qwen3-embedding",
    architecture: "qwen3",
    keys: { ...rms(1e-6, 10000), pooling_type: 3 },
    names: PRE_NORM,
  },
];

function convert({ folder, architecture, keys, names, change }: Converted): Uint8Array<ArrayBuffer> {
  const config = readGolden<Record<string, number | null>>(`${folder}/config.json`);
  const size = (...keys: string[]) => keys.map((key) => config[key]).find((value) => typeof value === "number");
  const sizes: Record<string, number | undefined> = {
    embedding_length: size("hidden_size", "n_embd", "dim"),
    block_count: size("num_hidden_layers", "n_layer", "n_layers"),
    context_length: size("max_position_embeddings", "n_positions"),
    feed_forward_length: size("intermediate_size", "n_inner", "hidden_dim"),
    "attention.head_count": size("num_attention_heads", "n_head", "n_heads"),
    "attention.head_count_kv": size("num_key_value_heads"),
    "attention.key_length": size("head_dim"),
    "attention.value_length": size("head_dim"),
    "attention.sliding_window": size("sliding_window"),
  };
  const metadata: Record<string, GgufValue> = { "general.architecture": architecture };
  for (const [key, value] of Object.entries({ ...sizes, ...keys }))
    if (value !== undefined) metadata[`${architecture}.${key}`] = value;
  const tensors = checkpointOf(folder);
  change?.(tensors);
  const named: Checkpoint = new Map();
  for (const [name, tensor] of tensors) {
    if (/^(cls\.|lm_head)|pooler\./.test(name)) continue;
    named.set(
      names.reduce((as, [from, to]) => as.replace(from, to), name),
      tensor,
    );
  }
  return ggufOf(metadata, named);
}

interface Case {
  shape: [batch: number, tokens: number];
  input_ids: number[];
  attention_mask: number[];
  token_type_ids?: number[];
  last_hidden_state: number[];
  sentence_embedding?: number[];
  scores?: number[];
  logits?: number[];
}

describe.each(models)("$folder as $architecture", (converted) => {
  const { cases } = readGolden<{ cases: Case[] }>(`${converted.folder}/expected.json`);

  it("gives the golden hidden states, and vectors or scores where the file says which", async () => {
    using model = await ropewalk.encoder({ "model.gguf": convert(converted) });
    // Without a vocabulary, which these files do not have.
    expect(model.notes.filter((note) => !/takes ids|no modules\.json/.test(note))).toEqual([]);
    const pools = "pooling_type" in converted.keys && converted.keys.pooling_type !== 4;
    for (const { shape, input_ids, attention_mask, token_type_ids, ...expected } of cases) {
      const input = {
        inputIds: input_ids,
        attentionMask: attention_mask,
        batch: shape[0],
        sequence: shape[1],
        ...(token_type_ids && { tokenTypeIds: token_type_ids }),
      };
      const output = model.forward(input, { hiddenStates: true, ...(pools && { pooled: true }) });
      const width = expected.last_hidden_state.length / attention_mask.length;
      const counts = (i: number) => attention_mask[Math.floor(i / width)] === 1;
      const { relative } = differenceOf(output.lastHiddenState, expected.last_hidden_state, counts);
      expect(relative).toBeLessThanOrEqual(1e-5);
      // Golden vectors of some are of other lengths: projected, or cut. Those of a file have norm 1, as llama.cpp gives them.
      if (pools && expected.sentence_embedding?.length === output.sentenceEmbedding?.length) {
        const size = output.sentenceEmbedding!.length / shape[0];
        const vectors = expected.sentence_embedding!.map((value, i, all) => {
          const row = all.slice(i - (i % size), i - (i % size) + size);
          return value / Math.hypot(...row);
        });
        expectNear(output.sentenceEmbedding, vectors, { relative: 1e-5 });
      }
      if (expected.scores) expectNear(output.classLogits, expected.logits!, { relative: 1e-5 });
    }
  });
});

describe("refuses", () => {
  const file = (architecture: string, change: Partial<Converted>) =>
    convert({ ...models.find((model) => model.architecture === architecture)!, ...change });

  it("a decoder, which has no type of pooling", async () => {
    const chat = file("qwen3", { keys: rms(1e-6, 10000) });
    await expect(ropewalk.encoder({ "a.gguf": chat })).rejects.toThrow(
      /general\.architecture.*qwen3.*pooling_type.*embedders/,
    );
  });

  it("a rank without a classifier", async () => {
    const ranks = file("qwen3", { keys: { ...rms(1e-6, 10000), pooling_type: 4 } });
    await expect(ropewalk.encoder({ "a.gguf": ranks })).rejects.toThrow(/qwen3\.pooling_type.*is 4/);
  });

  it("projections behind the pooling", async () => {
    const change = (tensors: Checkpoint) => {
      addOne(tensors);
      tensors.set("dense_2.weight", { type: "F32", shape: [4, 32], bytes: Buffer.alloc(512) });
    };
    await expect(ropewalk.encoder({ "a.gguf": file("gemma-embedding", { change }) })).rejects.toThrow("dense_2.weight");
  });
});
