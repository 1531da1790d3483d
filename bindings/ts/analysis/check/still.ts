/** Models whose positions are not rotated, and how they tell positions apart instead. */
import type { Json, Model } from "./model.js";

const LEARNED = "learned positions";
const ALIBI = "ALiBi, a fixed penalty by distance";

/** The best-known ones, by what they have: `model_type`, and `general.architecture` of GGUF files. */
const POSITIONS: readonly [types: string, positions: string][] = [
  [
    "bert roberta camembert xlm-roberta distilbert electra ernie ernie_m data2vec-text roberta-prelayernorm esm gpt2 openai-gpt opt gpt_neo gpt_bigcode starcoder biogpt vit deit beit clip clip_text_model siglip siglip_text_model whisper bart mbart",
    LEARNED,
  ],
  ["t5 t5encoder mt5 umt5 longt5 switch_transformers udop pop2piano", "a learned bias by distance"],
  ["mpnet", "learned positions and a learned bias by distance"],
  ["deberta deberta-v2", "keys and queries of the distance (disentangled attention)"],
  ["nezha transfo-xl xlnet", "keys of the distance"],
  ["bloom mpt falcon baichuan jais gpt_refact refact jina-bert-v2", ALIBI],
  ["mamba mamba2 falcon_mamba rwkv rwkv6 rwkv6qwen2 rwkv7 arwkv7 xlstm", "a recurrent state in place of positions"],
  [
    "jamba zamba zamba2 granitemoehybrid granitehybrid nemotron_h nemotron_h_moe kimi-linear",
    "no positions beside its recurrent layers, which follow the order",
  ],
  ["wavtokenizer-dec", "convolutions in place of positions"],
];

/** Architectures of llama.cpp whose graphs do not rotate. One of `clip` may: it is the vision tower of any model. */
const GGUF =
  "arwkv7 bert bloom gpt2 jais jamba jina-bert-v2 kimi-linear mamba mamba2 mpt nemotron_h nemotron_h_moe refact rwkv6 rwkv6qwen2 rwkv7 starcoder t5 t5encoder wavtokenizer-dec";

const lists = (names: string, name: string) => name !== "" && ` ${names} `.includes(` ${name} `);

/** Graphs that rotate or do not, as a key says: Granite's by a switch, Baichuan's by the layers of the 13B models. */
const isStillGguf = (name: string, config: Json) =>
  lists(GGUF, name) ||
  (name.startsWith("granite") && config[`${name}.rope.scaling.finetuned`] === false) ||
  (name === "baichuan" && config[`${name}.block_count`] === 40);

/** BERT and its relatives have a key that replaces their learned positions. */
function ofKey(config: Json): string {
  const type = config.position_embedding_type;
  if (type === "alibi" || typeof config.alibi_starting_size === "number") return ALIBI;
  if (type === "relative_key") return "learned relative keys, one for each distance";
  if (type === "relative_key_query")
    return "learned relative keys, one for each distance, compared with queries and keys";
  return LEARNED;
}

/** In words; undefined for a model that rotates, or that nobody here knows. */
export function positionsInsteadOf({ gguf, modelType, config, sheet }: Model): string | undefined {
  if (!(gguf ? isStillGguf(modelType, config) : sheet.isStill(modelType, config))) return undefined;
  const [, positions] = POSITIONS.find(([types]) => lists(types, modelType)) ?? [];
  if (positions === LEARNED && !gguf) return ofKey(config);
  return positions ?? "positions of another kind";
}
