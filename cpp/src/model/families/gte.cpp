// GTE v1.5 and mGTE (Zhang et al., arXiv 2407.19669), whose model_type is "new" or "gte", and Arctic-Embed 2.0 M:
// BERT with rotation and gated layers, as Alibaba-NLP/new-impl has it.

#include "model/families/bert_like.hpp"
#include "model/families/ropes.hpp"

namespace ropewalk::model {
namespace {

constexpr Name base_names[] = {
    {"embedding.words", "embeddings.word_embeddings"},
    {"embedding.types", "embeddings.token_type_embeddings"},
    {"embedding.norm", "embeddings.LayerNorm"},
    {"attention.qkv", "encoder.layer.{}.attention.qkv_proj"},
    {"attention.query", "encoder.layer.{}.attention.q_proj"},
    {"attention.key", "encoder.layer.{}.attention.k_proj"},
    {"attention.value", "encoder.layer.{}.attention.v_proj"},
    {"attention.output", "encoder.layer.{}.attention.o_proj"},
    {"attention.norm", "encoder.layer.{}.attn_ln"},
    {"feed_forward.gate_up", "encoder.layer.{}.mlp.up_gate_proj"},
    {"feed_forward.down", "encoder.layer.{}.mlp.down_proj"},
    {"feed_forward.norm", "encoder.layer.{}.mlp_ln"},
    {"sequence_classification.dense", "pooler.dense"},
};

constexpr Name head_names[] = {
    {"masked_lm.dense", "lm_head.dense"},          {"masked_lm.norm", "lm_head.norm"},
    {"masked_lm.decoder", "lm_head.decoder"},      {"sequence_classification.output", "classifier"},
    {"token_classification.output", "classifier"}, {"span.output", "qa_outputs"},
};

Result<Spec> read(const json::Value& config) {
  Spec spec;
  spec.vocabulary = 30528;
  spec.attention_dropout = 0;
  spec.embedding.token_types = 1;
  bool packed = true;
  Keys keys(config, "new");
  read_bert_like(keys, spec, 0);
  keys.flag("pack_qkv", packed);
  keys.must_be("layer_norm_type", "layer_norm", "layer_norm");
  keys.must_be("position_embedding_type", "rope", "rope");
  keys.must_be_false("logn_attention_scale");
  keys.must_be_false("logn_attention_clip1");
  if (!keys.status().ok()) return keys.status();
  // A single type is added to all tokens, whatever types a caller gives.
  spec.embedding.any_type = spec.embedding.token_types < 2;
  if (packed) spec.attention.packing = AttentionSpec::Packing::blocks;
  spec.feed_forward.gated = true;
  spec.feed_forward.packing = FeedForwardSpec::Packing::up_gate;
  spec.feed_forward.bias = false;
  spec.possible_heads = {{.kind = "sequence_classification", .dense = true, .activation = Activation::tanh}};
  read_one_rope(keys, config, spec);
  if (!keys.status().ok()) return keys.status();
  return spec;
}

}  // namespace

extern const Family gte_new = {
    .name = "new", .model_type = "new", .read = read, .names = {"new.", base_names, head_names}};

extern const Family gte = {
    .name = "gte", .model_type = "gte", .read = read, .names = {"new.", base_names, head_names}};

}  // namespace ropewalk::model
