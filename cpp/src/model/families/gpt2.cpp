// GPT-2 (Radford et al. 2019): learned positions, layer norms, and matrices that checkpoints hold transposed, as the class
// Conv1D of Transformers has them.

#include "base/text.hpp"
#include "model/families/llama_like.hpp"

namespace ropewalk::model {
namespace {

constexpr Name base_names[] = {
    {"embedding.words", "wte"},
    {"embedding.positions", "wpe"},
    {"attention.norm", "h.{}.ln_1"},
    {"attention.qkv", "h.{}.attn.c_attn"},
    {"attention.output", "h.{}.attn.c_proj"},
    {"feed_forward.norm", "h.{}.ln_2"},
    {"feed_forward.up", "h.{}.mlp.c_fc"},
    {"feed_forward.down", "h.{}.mlp.c_proj"},
    {"final_norm", "ln_f"},
};

Result<Spec> read(const json::Value& config) {
  Spec spec = llama_like_spec();
  spec.vocabulary = 50257;
  spec.hidden = 768;
  spec.norm = {.kind = NormKind::layer, .eps = 1e-5};
  spec.attention = {.heads = 12, .packing = AttentionSpec::Packing::blocks, .causal = true};
  spec.feed_forward = {.width = 0, .activation = Activation::gelu_tanh};
  spec.hidden_dropout = spec.attention_dropout = 0.1;
  spec.transposed = true;
  std::size_t layers = 12, rows = 1024;
  bool scales = true;
  Keys keys(config, "gpt2");
  keys.whole("vocab_size", 1, 1 << 24, spec.vocabulary);
  keys.whole("n_embd", 1, 1 << 16, spec.hidden);
  keys.whole("n_layer", 1, 1 << 10, layers);
  keys.whole("n_head", 1, 1 << 16, spec.attention.heads);
  keys.whole("n_positions", 1, 1 << 24, rows);
  keys.whole("n_inner", 1, 1 << 18, spec.feed_forward.width);
  keys.activation("activation_function", spec.feed_forward.activation);
  keys.epsilon("layer_norm_epsilon", spec.norm.eps);
  keys.positive("initializer_range", 100, "a number above 0, up to 100", spec.initializer_range);
  keys.share("resid_pdrop", spec.hidden_dropout);
  keys.share("attn_pdrop", spec.attention_dropout);
  keys.flag("tie_word_embeddings", spec.tied);
  keys.flag("scale_attn_weights", scales);
  keys.must_be_false("scale_attn_by_inverse_layer_idx");
  keys.must_be_false("add_cross_attention");
  keys.padding_id(spec.padding_id);
  if (!keys.status().ok()) return keys.status();
  if (spec.hidden % spec.attention.heads != 0) {
    return out_of_range("gpt2", "n_embd", spec.hidden,
                        "a multiple of `n_head`, " + std::to_string(spec.attention.heads));
  }
  if (!scales) spec.attention.scale = 1;
  if (spec.feed_forward.width == 0) spec.feed_forward.width = 4 * spec.hidden;
  spec.layers.assign(layers, {.rope = {}});
  spec.positions = positions::Learned{.rows = rows};
  spec.heads = {causal_head(spec.tied)};
  return spec;
}

constexpr GgufKey gguf_keys[] = {{"embedding_length", "n_embd"},
                                 {"block_count", "n_layer"},
                                 {"attention.head_count", "n_head"},
                                 {"context_length", "n_positions"},
                                 {"feed_forward_length", "n_inner"}};

/// The converter transposes the matrices.
void adapt(Spec& spec) { spec.transposed = false; }

}  // namespace

extern const Family gpt2 = {.name = "gpt2",
                            .model_type = "gpt2",
                            .read = read,
                            .names = {"transformer.", base_names, llama_head_names},
                            .trainable = false,
                            .gguf = {.architecture = "gpt2",
                                     .keys = gguf_keys,
                                     .epsilon = {"attention.layer_norm_epsilon", "layer_norm_epsilon"},
                                     .adapt = adapt}};

}  // namespace ropewalk::model
