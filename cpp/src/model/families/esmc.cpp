// ESM Cambrian (EvolutionaryScale, 2024), a language model of proteins as Transformers has it: pre-norm and SwiGLU, queries
// and keys that are normed over all heads together, and branches that are divided by sqrt(L / 36).

#include <cmath>

#include "base/text.hpp"
#include "model/families/family.hpp"
#include "model/families/keys.hpp"
#include "model/families/ropes.hpp"

namespace ropewalk::model {
namespace {

constexpr std::string_view family = "esmc";

constexpr Name base_names[] = {
    {"embedding.words", "embed_tokens"},
    {"attention.norm", "layers.{}.input_layernorm"},
    {"attention.query", "layers.{}.self_attn.q_proj"},
    {"attention.key", "layers.{}.self_attn.k_proj"},
    {"attention.value", "layers.{}.self_attn.v_proj"},
    {"attention.query_norm", "layers.{}.self_attn.q_norm"},
    {"attention.key_norm", "layers.{}.self_attn.k_norm"},
    {"attention.output", "layers.{}.self_attn.o_proj"},
    {"feed_forward.norm", "layers.{}.post_attention_layernorm"},
    {"feed_forward.gate", "layers.{}.mlp.gate_proj"},
    {"feed_forward.up", "layers.{}.mlp.up_proj"},
    {"feed_forward.down", "layers.{}.mlp.down_proj"},
    {"final_norm", "norm"},
};

constexpr Name head_names[] = {
    {"masked_lm.dense", "lm_head.dense"},
    {"masked_lm.norm", "lm_head.layer_norm"},
    {"masked_lm.decoder", "lm_head.decoder"},
    {"sequence_classification.dense", "classifier.dense"},
    {"sequence_classification.output", "classifier.out_proj"},
    {"token_classification.output", "score"},
};

Result<Spec> read(const json::Value& config) {
  Spec spec;
  spec.vocabulary = 64;
  spec.hidden = 2560;
  spec.layers.assign(80, {});
  spec.attention.heads = 40;
  spec.feed_forward.width = 6912;
  spec.feed_forward.activation = Activation::silu;
  spec.feed_forward.gated = true;
  spec.placement = NormPlacement::pre;
  spec.norm.eps = 1e-5;
  spec.final_norm = true;
  spec.final_norm_bias = false;
  spec.embedding = {.token_types = 0, .norm = false};
  spec.hidden_dropout = spec.attention_dropout = 0;
  spec.padding_id = 1;
  spec.tied = false;
  Keys keys(config, family);
  keys.sizes(spec);
  keys.activation("hidden_act", spec.feed_forward.activation);
  keys.attention_bias(spec);
  keys.feed_forward_bias(spec);
  keys.share("attention_dropout", spec.attention_dropout);
  keys.padding_id(spec.padding_id);
  keys.must_be_false("tie_word_embeddings");
  keys.check_heads(spec);
  if (!keys.status().ok()) return keys.status();
  std::size_t key_heads = spec.attention.heads, head_dim = spec.head_dim();
  keys.whole("num_key_value_heads", 1, 1 << 16, key_heads);
  if (key_heads != spec.attention.heads)
    keys.keep(out_of_range(family, "num_key_value_heads", key_heads,
                           "`num_attention_heads`, " + std::to_string(spec.attention.heads)));
  keys.whole("head_dim", 1, 1 << 16, head_dim);
  if (head_dim != spec.head_dim())
    keys.keep(out_of_range(family, "head_dim", head_dim,
                           "`hidden_size` / `num_attention_heads`, " + std::to_string(spec.head_dim())));
  for (const auto quiet : {"classifier_dropout"}) keys.members().find(quiet);
  spec.attention.qk_norm = NormSpec{.kind = NormKind::layer, .eps = spec.norm.eps, .bias = false};
  spec.attention.qk_norm_of_all_heads = true;
  spec.branch_scale = std::sqrt(36.0 / static_cast<double>(spec.layers.size()));
  spec.possible_heads = {{.kind = "masked_lm", .dense = true, .norm = true},
                         {.kind = "sequence_classification", .dense = true, .activation = Activation::tanh}};
  read_one_rope(keys, config, spec);
  if (!keys.status().ok()) return keys.status();
  return spec;
}

}  // namespace

extern const Family esmc = {
    .name = family, .model_type = family, .read = read, .names = {"esmc.", base_names, head_names}};

}  // namespace ropewalk::model
