#pragma once

// Models whose layers are Llama's: the names of its tensors, which most families kept, and the keys of sizes, biases and
// windows.

#include <vector>

#include "model/families/family.hpp"
#include "model/families/keys.hpp"
#include "model/families/ropes.hpp"

namespace ropewalk::model {

/// Within the base model, whose prefix is "model.".
inline constexpr Name llama_base_names[] = {
    {"embedding.words", "embed_tokens"},
    {"attention.norm", "layers.{}.input_layernorm"},
    {"attention.query", "layers.{}.self_attn.q_proj"},
    {"attention.key", "layers.{}.self_attn.k_proj"},
    {"attention.value", "layers.{}.self_attn.v_proj"},
    {"attention.qkv", "layers.{}.self_attn.qkv_proj"},
    {"attention.query_norm", "layers.{}.self_attn.q_norm"},
    {"attention.key_norm", "layers.{}.self_attn.k_norm"},
    {"attention.output", "layers.{}.self_attn.o_proj"},
    {"feed_forward.norm", "layers.{}.post_attention_layernorm"},
    {"feed_forward.gate", "layers.{}.mlp.gate_proj"},
    {"feed_forward.up", "layers.{}.mlp.up_proj"},
    {"feed_forward.gate_up", "layers.{}.mlp.gate_up_proj"},
    {"feed_forward.down", "layers.{}.mlp.down_proj"},
    {"final_norm", "norm"},
};
inline constexpr Name llama_head_names[] = {{"causal_lm.decoder", "lm_head"}};

/// Biases of a GGUF file, which no key of it says.
inline constexpr GgufSwitch llama_gguf_switches[] = {{"blk.0.attn_q.bias", "attention_bias"},
                                                     {"blk.0.ffn_up.bias", "mlp_bias"}};

/// A pre-norm decoder with root-mean-square norms, a gated network and no biases, as Llama.
Spec llama_like_spec();

/// Reads the keys that all these families have. `tied` is what a missing `tie_word_embeddings` means.
void read_llama_layers(Keys& keys, Spec& spec, bool tied);

/// The same, with the head of a decoder.
void read_llama_like(Keys& keys, Spec& spec, bool tied);

/// The end of reading: with the one rope of all layers, or the first error.
Result<Spec> with_one_rope(Keys& keys, const json::Value& config, Spec& spec);

/// The only head: logits of the next word, by a matrix without bias, capped at `cap` unless that is 0.
HeadSpec causal_head(bool tied, double cap = 0);

/// The text model's object in the file of a model that reads images as well.
Result<const json::Value*> text_part(const json::Value& config, std::string_view family);
/// A note on such a model.
inline constexpr std::string_view text_part_note =
    "images and sounds are not read: this is the text model alone";

/// True for all layers but every n-th.
std::vector<bool> every_nth_full(std::size_t layers, std::size_t n);

/// The layers for which `layer_types`, or else `otherwise`, says so get the window.
void set_windows(Keys& keys, Spec& spec, std::size_t window, std::vector<bool> otherwise);

}  // namespace ropewalk::model
