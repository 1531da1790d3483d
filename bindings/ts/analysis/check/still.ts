/** Models whose positions are not rotated, and how they tell positions apart instead. */
import type { Model } from "./model.js";

/** The best-known ones, by what they have. */
const POSITIONS: readonly [types: string, positions: string][] = [
  [
    "bert roberta camembert xlm-roberta distilbert electra ernie data2vec-text roberta-prelayernorm gpt2 openai-gpt opt gpt_neo gpt_bigcode biogpt vit deit beit clip_text_model siglip_text_model whisper bart mbart",
    "learned positions",
  ],
  ["t5 mt5 umt5 longt5 switch_transformers udop pop2piano", "a learned bias by distance"],
  ["mpnet", "learned positions and a learned bias by distance"],
  ["deberta deberta-v2", "keys and queries of the distance (disentangled attention)"],
  ["bloom", "ALiBi, a fixed penalty by distance"],
  ["mamba mamba2 falcon_mamba rwkv xlstm", "a recurrent state in place of positions"],
];

/** In words; undefined for a model that rotates, or that nobody here knows. */
export function positionsInsteadOf({ gguf, modelType, sheet }: Model): string | undefined {
  if (gguf || !sheet.isStill(modelType)) return undefined;
  const known = POSITIONS.find(([types]) => ` ${types} `.includes(` ${modelType} `));
  return known?.[1] ?? "positions of another kind";
}
