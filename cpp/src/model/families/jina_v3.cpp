// Jina v3 (Sturua et al., arXiv 2409.10173) as Transformers 5 has it: XLM-RoBERTa that rotates, without its adapters.

#include "model/families/bert_like.hpp"
#include "model/families/ropes.hpp"
#include "model/loading/tensors.hpp"

namespace ropewalk::model {
namespace {

constexpr std::string_view family = "jina_embeddings_v3";

constexpr Name base_names[] = {
    {"embedding.words", "embeddings.word_embeddings"},
    {"embedding.types", "embeddings.token_type_embeddings"},
    {"embedding.norm", "embeddings.LayerNorm"},
    {"attention.query", "layers.{}.self_attn.q_proj"},
    {"attention.key", "layers.{}.self_attn.k_proj"},
    {"attention.value", "layers.{}.self_attn.v_proj"},
    {"attention.qkv", "layers.{}.self_attn.qkv_proj"},
    {"attention.output", "layers.{}.self_attn.o_proj"},
    {"attention.norm", "layers.{}.post_attention_layernorm"},
    {"feed_forward.up", "layers.{}.mlp.fc1"},
    {"feed_forward.down", "layers.{}.mlp.fc2"},
    {"feed_forward.norm", "layers.{}.post_mlp_layernorm"},
    {"pooler", "pooler.dense"},
};

constexpr Name head_names[] = {
    {"masked_lm.dense", "lm_head.dense"},
    {"masked_lm.norm", "lm_head.layer_norm"},
    {"masked_lm.decoder", "lm_head.decoder"},
    {"masked_lm.decoder.bias", "lm_head.bias"},
    {"sequence_classification.dense", "classifier.dense"},
    {"sequence_classification.output", "classifier.out_proj"},
    {"token_classification.output", "classifier"},
    {"span.output", "qa_outputs"},
};

Result<Spec> read(const json::Value& config) {
  Spec spec;
  spec.vocabulary = 250002;
  spec.hidden = 1024;
  spec.attention.heads = 16;
  spec.feed_forward.width = 4096;
  spec.layers.assign(24, {});
  spec.norm.eps = 1e-5;
  spec.embedding.token_types = 1;
  spec.padding_id = 1;
  Keys keys(config, family);
  read_bert_like(keys, spec);
  spec.possible_heads = {{.kind = "masked_lm", .dense = true, .norm = true, .tied = spec.tied},
                         {.kind = "sequence_classification", .dense = true, .activation = Activation::tanh}};
  read_one_rope(keys, config, spec);
  if (!keys.status().ok()) return keys.status();
  return spec;
}

/// GGUF files have the matrices of queries, keys and values in one, as the original code has.
Status told_by_tensors(Spec& spec, Tensors& tensors, std::vector<std::string>&) {
  if (tensors.find("roberta.layers.0.self_attn.qkv_proj.weight") != nullptr)
    spec.attention.packing = AttentionSpec::Packing::blocks;
  return {};
}

constexpr Name gguf_names[] = {{"attention.norm", "blk.{}.attn_output_norm"},
                               {"feed_forward.norm", "blk.{}.layer_output_norm"}};

}  // namespace

extern const Family jina_v3 = {.name = family,
                               .model_type = family,
                               .read = read,
                               .told_by_tensors = told_by_tensors,
                               .names = {"roberta.", base_names, head_names},
                               .gguf = {.architecture = "jina-bert-v3",
                                        .names = gguf_names,
                                        .epsilon = {"attention.layer_norm_epsilon", "layer_norm_eps"}}};

}  // namespace ropewalk::model
