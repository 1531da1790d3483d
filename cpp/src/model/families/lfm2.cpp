// LFM2 (Liquid AI 2025, arXiv 2511.23404): gated short convolutions in the place of attention in most layers, norms of each
// query and key in the others.

#include "model/families/llama_like.hpp"

namespace ropewalk::model {
namespace {

constexpr Name base_names[] = {
    {"embedding.words", "embed_tokens"},
    {"attention.norm", "layers.{}.operator_norm"},
    {"attention.query", "layers.{}.self_attn.q_proj"},
    {"attention.key", "layers.{}.self_attn.k_proj"},
    {"attention.value", "layers.{}.self_attn.v_proj"},
    {"attention.query_norm", "layers.{}.self_attn.q_layernorm"},
    {"attention.key_norm", "layers.{}.self_attn.k_layernorm"},
    {"attention.output", "layers.{}.self_attn.out_proj"},
    {"convolution.in", "layers.{}.conv.in_proj"},
    {"convolution.weights", "layers.{}.conv.conv"},
    {"convolution.out", "layers.{}.conv.out_proj"},
    {"feed_forward.norm", "layers.{}.ffn_norm"},
    {"feed_forward.gate", "layers.{}.feed_forward.w1"},
    {"feed_forward.up", "layers.{}.feed_forward.w3"},
    {"feed_forward.down", "layers.{}.feed_forward.w2"},
    {"final_norm", "embedding_norm"},
};

/// By `layer_types`, or the indices of `full_attn_idxs`; without both, every layer attends.
void read_types(Keys& keys, Spec& spec) {
  if (keys.members().find("layer_types") != nullptr) {
    const std::vector<bool> convolves = read_layer_types(keys, std::vector<bool>(spec.layers.size()), "conv");
    for (std::size_t l = 0; l < spec.layers.size(); ++l) spec.layers[l].short_convolution = convolves[l];
  } else if (const json::Value* attends = keys.members().find("full_attn_idxs")) {
    if (attends->kind != json::Kind::array)
      return keys.keep(
          keys.members().refuse("full_attn_idxs", *attends, "an array of numbers of layers", false));
    for (LayerSpec& layer : spec.layers) layer.short_convolution = true;
    for (const json::Value& index : attends->items) {
      if (index.kind != json::Kind::whole || index.negative || index.magnitude >= spec.layers.size()) {
        return keys.keep(
            keys.members().refuse("full_attn_idxs", index,
                                  "numbers of layers, 0 to " + std::to_string(spec.layers.size() - 1), true));
      }
      spec.layers[static_cast<std::size_t>(index.magnitude)].short_convolution = false;
    }
  }
}

/// The width of the gated network: two thirds of what the file says, times a factor, rounded up.
void read_width(Keys& keys, Spec& spec) {
  bool adjusts = true;
  double factor = 1;
  std::size_t multiple = 256, width = spec.feed_forward.width;
  // The first files have a name of their own, which counts where both are there.
  keys.whole("block_ff_dim", 1, 1 << 18, width);
  keys.flag("block_auto_adjust_ff_dim", adjusts);
  keys.positive("block_ffn_dim_multiplier", 64, "a number above 0, up to 64", factor);
  keys.whole("block_multiple_of", 1, 1 << 16, multiple);
  if (adjusts) {
    width = static_cast<std::size_t>(factor * static_cast<double>(2 * width / 3));
    width = (width + multiple - 1) / multiple * multiple;
  }
  spec.feed_forward.width = width;
}

Result<Spec> read(const json::Value& config) {
  Spec spec = llama_like_spec();
  spec.vocabulary = 65536;
  spec.hidden = 2560;
  spec.norm.eps = 1e-5;
  spec.attention.key_heads = 8;
  spec.feed_forward.width = 12288;
  Keys keys(config, "lfm2");
  read_llama_layers(keys, spec, true);
  keys.epsilon("norm_eps", spec.norm.eps);
  keys.flag("tie_embedding", spec.tied);
  keys.whole("conv_L_cache", 1, 1 << 10, spec.short_convolution.width);
  keys.flag("conv_bias", spec.short_convolution.bias);
  read_width(keys, spec);
  read_types(keys, spec);
  spec.attention.qk_norm = spec.norm;
  spec.heads = {causal_head(spec.tied)};
  return with_one_rope(keys, config, spec);
}

// llama.cpp calls the last norm as if it followed the word vectors.
constexpr Name gguf_names[] = {{"convolution.in", "blk.{}.shortconv.in_proj"},
                               {"convolution.weights", "blk.{}.shortconv.conv"},
                               {"convolution.out", "blk.{}.shortconv.out_proj"},
                               {"final_norm", "token_embd_norm"}};
constexpr GgufKey gguf_keys[] = {{"shortconv.l_cache", "conv_L_cache"}};
// The width is that of the tensors already.
constexpr GgufSwitch gguf_switches[] = {{"", "block_auto_adjust_ff_dim"}};

}  // namespace

extern const Family lfm2 = {.name = "lfm2",
                            .model_type = "lfm2",
                            .read = read,
                            .names = {"model.", base_names, llama_head_names},
                            .trainable = false,
                            .gguf = {.architecture = "lfm2",
                                     .names = gguf_names,
                                     .keys = gguf_keys,
                                     .switches = gguf_switches,
                                     .epsilon = {"attention.layer_norm_rms_epsilon", "norm_eps"}}};

}  // namespace ropewalk::model
