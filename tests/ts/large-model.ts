/** Models with random weights whose products are large enough for several threads. */
import { checkpointFile, random } from "./safetensors-file.js";

const VOCABULARY = 1000;
const [HIDDEN, LAYERS, HEADS, KEY_HEADS, INTERMEDIATE] = [256, 1, 8, 4, 1024];

export interface LargeModel {
  "config.json": object;
  "model.safetensors": Uint8Array<ArrayBuffer>;
}

function weights(shapes: [name: string, ...shape: number[]][]): Uint8Array<ArrayBuffer> {
  const next = random(1);
  return checkpointFile(
    shapes.map(([name, ...shape]) => {
      const size = shape.reduce((product, each) => product * each, 1);
      return { name, shape, values: Float32Array.from({ length: size }, () => (next() - 0.5) * 0.1) };
    }),
  );
}

const common = {
  hidden_size: HIDDEN,
  num_hidden_layers: LAYERS,
  num_attention_heads: HEADS,
  intermediate_size: INTERMEDIATE,
  vocab_size: VOCABULARY,
};

export function largeEncoder(): LargeModel {
  const norm = (name: string): [string, number][] => [
    [`${name}.weight`, HIDDEN],
    [`${name}.bias`, HIDDEN],
  ];
  const dense = (name: string, outputs: number, inputs: number): [string, ...number[]][] => [
    [`${name}.weight`, outputs, inputs],
    [`${name}.bias`, outputs],
  ];
  const layer = (l: number) => {
    const prefix = `encoder.layer.${l}`;
    return [
      ...["query", "key", "value"].flatMap((each) => dense(`${prefix}.attention.self.${each}`, HIDDEN, HIDDEN)),
      ...dense(`${prefix}.attention.output.dense`, HIDDEN, HIDDEN),
      ...norm(`${prefix}.attention.output.LayerNorm`),
      ...dense(`${prefix}.intermediate.dense`, INTERMEDIATE, HIDDEN),
      ...dense(`${prefix}.output.dense`, HIDDEN, INTERMEDIATE),
      ...norm(`${prefix}.output.LayerNorm`),
    ];
  };
  return {
    "config.json": {
      ...common,
      architectures: ["BertModel"],
      model_type: "bert",
      max_position_embeddings: 512,
      type_vocab_size: 2,
      layer_norm_eps: 1e-12,
      hidden_act: "gelu",
    },
    "model.safetensors": weights([
      ["embeddings.word_embeddings.weight", VOCABULARY, HIDDEN],
      ["embeddings.position_embeddings.weight", 512, HIDDEN],
      ["embeddings.token_type_embeddings.weight", 2, HIDDEN],
      ...norm("embeddings.LayerNorm"),
      ...Array.from({ length: LAYERS }, (_, l) => layer(l)).flat(),
    ]),
  };
}

export function largeDecoder(): LargeModel {
  const keys = (HIDDEN / HEADS) * KEY_HEADS;
  const layer = (l: number): [string, ...number[]][] => [
    [`model.layers.${l}.input_layernorm.weight`, HIDDEN],
    [`model.layers.${l}.self_attn.q_proj.weight`, HIDDEN, HIDDEN],
    [`model.layers.${l}.self_attn.k_proj.weight`, keys, HIDDEN],
    [`model.layers.${l}.self_attn.v_proj.weight`, keys, HIDDEN],
    [`model.layers.${l}.self_attn.o_proj.weight`, HIDDEN, HIDDEN],
    [`model.layers.${l}.post_attention_layernorm.weight`, HIDDEN],
    [`model.layers.${l}.mlp.gate_proj.weight`, INTERMEDIATE, HIDDEN],
    [`model.layers.${l}.mlp.up_proj.weight`, INTERMEDIATE, HIDDEN],
    [`model.layers.${l}.mlp.down_proj.weight`, HIDDEN, INTERMEDIATE],
  ];
  return {
    "config.json": {
      ...common,
      architectures: ["LlamaForCausalLM"],
      model_type: "llama",
      num_key_value_heads: KEY_HEADS,
      max_position_embeddings: 2048,
      rms_norm_eps: 1e-5,
      rope_theta: 10000,
      tie_word_embeddings: true,
      hidden_act: "silu",
    },
    "model.safetensors": weights([
      ["model.embed_tokens.weight", VOCABULARY, HIDDEN],
      ...Array.from({ length: LAYERS }, (_, l) => layer(l)).flat(),
      ["model.norm.weight", HIDDEN],
    ]),
  };
}

export const idsOf = (length: number): Int32Array =>
  Int32Array.from({ length }, (_, i) => 1 + ((i * 37) % (VOCABULARY - 1)));
