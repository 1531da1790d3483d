#pragma once

// A decoder in a GGUF file: its metadata as the configuration of a family, its tensors under that family's
// names. Names, keys and permutations are those of llama.cpp's converter.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/gguf.hpp"
#include "ropewalk/rope.hpp"
#include "ropewalk/safetensors.hpp"
#include "ropewalk/spec.hpp"

namespace ropewalk::decoder {

/// The name of the tensor that Llama 3's factors are in, which are a part of the rope.
inline constexpr std::string_view rope_factors = "rope_freqs.weight";

struct GgufModel {
  /// Without the factors of its rope.
  Spec spec;
  std::size_t max_positions;
  /// The metadata as JSON, without long arrays.
  std::string metadata;
  /// As a safetensors file would hold them, blocks as float32; without data. In the order of the header, the factors of
  /// the rope among them.
  std::vector<SafetensorsTensor> tensors;
};

/// Errors: an architecture or a type of tensor that is not read, a key that is missing or out of range, each by its
/// name.
Result<GgufModel> read_gguf(const gguf::Header& header);

/// The rope of the metadata with the factors that divide its frequencies; empty: none.
Result<RopeOptions> rope_of_gguf(std::string_view metadata, std::span<const float> factors);

}  // namespace ropewalk::decoder
