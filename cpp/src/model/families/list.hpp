#pragma once

// One line for each family; similar families share a file.
// clang-format off
#define ROPEWALK_ENCODER_FAMILIES(family) \
  family(roformer) \
  family(roformer_v2) \
  family(bert) \
  family(roberta) \
  family(camembert) \
  family(xlm_roberta) \
  family(mpnet) \
  family(distilbert) \
  family(electra) \
  family(modernbert) \
  family(eurobert) \
  family(nomic_bert) \
  family(nomic_bert_v2) \
  family(gte_new) \
  family(gte) \
  family(jina_v2) \
  family(jina_v3) \
  family(neobert) \
  family(esmc) \
  family(embedding_gemma) \
  // end of the list
// Encoders that are not trained.
#define ROPEWALK_FIXED_FAMILIES(family) \
  family(esm) \
  family(deberta_v2) \
  family(deberta_v3) \
  // end of the list
// Decoders whose hidden states embed and rank texts as well.
#define ROPEWALK_CAUSAL_FAMILIES(family) \
  family(llama) \
  family(qwen2) \
  family(qwen3) \
  family(gemma3) \
  // end of the list
#define ROPEWALK_DECODER_FAMILIES(family) \
  family(llama_meta) \
  family(smollm3) \
  family(gemma2) \
  family(gpt_neox) \
  family(phi3) \
  family(phi) \
  family(mistral) \
  family(ministral3) \
  family(granite) \
  family(olmo2) \
  family(ernie4_5) \
  family(glm) \
  family(glm4) \
  family(cohere2) \
  family(stablelm) \
  family(exaone4) \
  family(olmo3) \
  family(gpt2) \
  family(hunyuan_dense) \
  family(nanochat) \
  family(lfm2) \
  family(gemma4) \
  family(gemma4_text) \
  family(qwen3_5_text) \
  family(qwen3_5) \
  // end of the list
// clang-format on
