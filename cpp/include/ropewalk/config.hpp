#pragma once

/// RopeOptions from the configuration that a model is published with: Hugging Face's config.json or GGUF
/// metadata. Strict where those are lenient: a key that nobody reads, a missing one, a wrong length or a
/// value out of range is an error that names it, since a rotation by wrong frequencies only shows as a model
/// that is a little worse.

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ropewalk/rope.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk {

/// What a configuration leaves open.
struct ConfigOptions {
  /// Tokens of the sequence. The rules "dynamic" and "longrope" depend on it and do not read without: Hugging
  /// Face takes it anew at each call, so that any default would be silently wrong for some lengths. Others
  /// ignore it.
  std::optional<double> sequence_length = std::nullopt;
  /// "full_attention", "sliding_attention", ...: which layers, where a configuration has a rule for each
  /// type.
  std::optional<std::string> layer_type = std::nullopt;
  /// Needed for a `model_type` that is not known: the configuration itself does not say which channels make a
  /// pair. Where it is given it counts, for weights that were brought to another order.
  std::optional<Pairing> pairing = std::nullopt;
};

/// Reads one JSON object; it is taken for GGUF metadata if it has the key `general.architecture`.
///
/// Hugging Face: `rope_theta` (default 10000), `rope_scaling` or `rope_parameters` (for all layers, or by
/// layer type) with `rope_type` or `type` default, linear, ntk, dynamic, yarn, longrope, su, llama3,
/// proportional, receptive-field or mrope; `partial_rotary_factor`, `rotary_pct`, `rotary_dim`,
/// `rotary_emb_base`; the head by `head_dim`, `global_head_dim` (full attention layers), `qk_rope_head_dim`
/// (the part of the head that rotates, as a head of its own) or `hidden_size` / `num_attention_heads`; a
/// `text_config` around all of it. The pairing is what `rope_interleave` says, else that of `model_type`,
/// Pairing::half without either; a `model_type` that is not known is an error unless `pairing` is given.
///
/// GGUF: `<architecture>.rope.*`, the pairing by architecture as llama.cpp has it. LongRoPE's and Llama 3's
/// factors are tensors in GGUF: pass them as `rope_factors_short.weight`, `rope_factors_long.weight`,
/// `rope_freqs.weight`.
///
/// Errors: more than 2^24 bytes, 2^18 values or 64 levels; not JSON; an unknown key inside the rope dictionaries,
/// or one beside them that speaks of rope or rotary (other keys are the model's business); missing keys; wrong
/// types and lengths; values out of range or at odds.
Result<RopeOptions> try_rope_options_from_config(std::string_view json, const ConfigOptions& options = {});

#if defined(__cpp_exceptions)
inline RopeOptions rope_options_from_config(std::string_view json, const ConfigOptions& options = {}) {
  return raise(try_rope_options_from_config(json, options));
}
#endif

}  // namespace ropewalk
