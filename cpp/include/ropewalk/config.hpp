#pragma once

/// RopeOptions from the configuration that a model is published with: Hugging Face's config.json or GGUF
/// metadata. Strict where those are lenient: a key that nobody reads, a missing one, a wrong length or a
/// value out of range is an error that names it, since a rotation by wrong frequencies only shows as a model
/// that is a little worse.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ropewalk/rope.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk {

/// Answers to what a configuration leaves open.
struct ConfigOptions {
  /// Tokens of the sequence. The rules "dynamic" and "longrope" depend on it and do not read without: Hugging
  /// Face takes it anew at each call, so that any default would be silently wrong for some lengths. Others
  /// ignore it.
  std::optional<double> sequence_length = std::nullopt;
  /// The type of layers to read, "full_attention" or "sliding_attention" for example, where a configuration has a
  /// rule for each type.
  std::optional<std::string> layer_type = std::nullopt;
  /// Needed for a `model_type` that is not known: the configuration itself does not say which channels make a
  /// pair. Where it is given it counts, for weights that were brought to another order.
  std::optional<Pairing> pairing = std::nullopt;
};

/// A configuration as it was read.
struct ConfigReading {
  /// Options for Rope::make.
  RopeOptions options;
  /// Indices of layers whose queries and keys are not rotated, ascending.
  std::vector<std::size_t> layers_without_rotation;
  /// A factor above 0 of the softmax's scale, beside 1/sqrt(D): DeepSeek's YaRN scales there what others put into
  /// the magnitude. Rotation does not use it.
  double softmax_scale = 1;
  /// One sentence for each assumption that the reading rests on, and for what else the model does beside rotating.
  std::vector<std::string> notes;
};

/// Reads one JSON object; it is taken for GGUF metadata if it has the key `general.architecture`.
///
/// Hugging Face: `rope_theta`, `rope_scaling` or `rope_parameters` (for all layers, or by layer type) with
/// `rope_type` or `type` default, linear, ntk, dynamic, yarn, longrope, su, llama3, proportional,
/// receptive-field or mrope; `partial_rotary_factor`, `rotary_pct`, `rotary_dim`, `rotary_emb_base`; the head by
/// `head_dim`, `global_head_dim` (full attention layers), `qk_rope_head_dim` (the part of the head that rotates,
/// as a head of its own) or `hidden_size` / `num_attention_heads`; a `text_config` around all of it.
///
/// For the `model_type` of a class of Transformers, a sheet of facts says which of these keys the class reads,
/// under which names, and what it assumes where a key is missing; `notes` names each default that was taken. A
/// key that the class does not read is an error unless it says what is so anyway. Without a class the base is
/// 10000 unless said. The pairing is what `rope_interleave` says, else that of `model_type`, Pairing::half without
/// either; a `model_type` that is not known is an error unless `pairing` is given.
///
/// GGUF: `<architecture>.rope.*`, the pairing by architecture as llama.cpp has it, and so are base and scale of
/// sliding layers of gemma3, gemma3n, gemma-embedding, olmo2 and laguna where no key says them. LongRoPE's and Llama 3's
/// factors are tensors in GGUF: pass them as `rope_factors_short.weight`, `rope_factors_long.weight`,
/// `rope_freqs.weight`.
///
/// Errors: more than 2^24 bytes, 2^18 values or 64 levels; not JSON; an unknown key inside the rope dictionaries,
/// or one beside them that speaks of rope or rotary (other keys are the model's business); missing keys; wrong
/// types and lengths; values out of range or at odds.
Result<RopeOptions> try_rope_options_from_config(std::string_view json, const ConfigOptions& options = {});

/// As try_rope_options_from_config, with what the configuration says about the rope beside the rotation itself.
Result<ConfigReading> try_read_rope_config(std::string_view json, const ConfigOptions& options = {});

#if defined(__cpp_exceptions)
/// As try_read_rope_config, but throws the error.
inline ConfigReading read_rope_config(std::string_view json, const ConfigOptions& options = {}) {
  return raise(try_read_rope_config(json, options));
}
/// As try_rope_options_from_config, but throws the error.
inline RopeOptions rope_options_from_config(std::string_view json, const ConfigOptions& options = {}) {
  return raise(try_rope_options_from_config(json, options));
}
#endif

}  // namespace ropewalk
