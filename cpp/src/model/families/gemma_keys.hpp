#pragma once

// The parts of a Gemma: the names of its tensors, of which inputs and factors of layers are Gemma 4's alone, and the keys of
// its configuration. Gemma 2 to 4 are causal, and EmbeddingGemma sees both directions.

#include <vector>

#include "model/families/llama_like.hpp"

namespace ropewalk::model {

inline constexpr Name gemma_base_names[] = {
    {"embedding.words", "embed_tokens"},
    {"inputs.words", "embed_tokens_per_layer"},
    {"inputs.projection", "per_layer_model_projection"},
    {"inputs.norm", "per_layer_projection_norm"},
    {"attention.norm", "layers.{}.input_layernorm"},
    {"attention.query", "layers.{}.self_attn.q_proj"},
    {"attention.key", "layers.{}.self_attn.k_proj"},
    {"attention.value", "layers.{}.self_attn.v_proj"},
    {"attention.query_norm", "layers.{}.self_attn.q_norm"},
    {"attention.key_norm", "layers.{}.self_attn.k_norm"},
    {"attention.output", "layers.{}.self_attn.o_proj"},
    {"attention.after_norm", "layers.{}.post_attention_layernorm"},
    {"feed_forward.norm", "layers.{}.pre_feedforward_layernorm"},
    {"feed_forward.gate", "layers.{}.mlp.gate_proj"},
    {"feed_forward.up", "layers.{}.mlp.up_proj"},
    {"feed_forward.down", "layers.{}.mlp.down_proj"},
    {"feed_forward.after_norm", "layers.{}.post_feedforward_layernorm"},
    {"input.gate", "layers.{}.per_layer_input_gate"},
    {"input.out", "layers.{}.per_layer_projection"},
    {"input.after_norm", "layers.{}.post_per_layer_input_norm"},
    {"factor", "layers.{}.layer_scalar"},
    {"final_norm", "norm"},
};

/// In GGUF files.
inline constexpr Name after_norm_gguf_names[] = {{"attention.after_norm", "blk.{}.post_attention_norm"},
                                                 {"feed_forward.after_norm", "blk.{}.post_ffw_norm"}};

/// The converter adds the one to the gains of norms. No key says the factor of the scores, which follows the head
/// dimension.
void adapt_gguf_gemma(Spec& spec);

/// A pre- and post-norm decoder with scaled word vectors.
Spec gemma_spec();

/// Reads the keys of all versions but those of windows, caps and ropes. Where a file has both names of the activation, the
/// newer one counts.
void read_gemma(Keys& keys, Spec& spec);

/// Says for each layer of a Gemma 3 whether it has a window: by `layer_types`, or all but each sixth.
std::vector<bool> gemma3_windows(Keys& keys, std::size_t layers);

}  // namespace ropewalk::model
