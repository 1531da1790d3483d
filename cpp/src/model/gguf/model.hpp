#pragma once

// A model in a GGUF file: its metadata as the configuration of a family, its tensors under that family's
// names. Names, keys and permutations are those of llama.cpp's converter.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/gguf.hpp"
#include "model/names.hpp"
#include "ropewalk/rope.hpp"
#include "ropewalk/safetensors.hpp"
#include "ropewalk/spec.hpp"

namespace ropewalk::model {

/// Tensors that are a part of the rope: Llama 3's divisors of frequencies, and LongRoPE's.
inline constexpr std::string_view rope_factors[] = {"rope_freqs.weight", "rope_factors_short.weight",
                                                    "rope_factors_long.weight"};
struct RopeFactors {
  std::string_view name;
  std::vector<float> values;
};

struct GgufModel {
  /// With ones in place of the factors of its ropes, which arrive later.
  Spec spec;
  /// As many ones as each tensor of factors has elements.
  std::vector<RopeFactors> factors;
  std::size_t max_positions;
  /// The metadata as JSON, without long arrays.
  std::string metadata;
  /// As a safetensors file would hold them, blocks as float32; without data. In the order of the header, the factors of
  /// the rope among them.
  std::vector<SafetensorsTensor> tensors;
};

/// Names of parameters that most architectures have, by role, without ".weight" and ".bias".
std::span<const Name> usual_gguf_names();

/// Errors: an architecture or a type of tensor that is not read, a key that is missing or out of range, each by its
/// name.
Result<GgufModel> read_gguf(const gguf::Header& header);

/// The ropes of the metadata, as many as the spec has, with the factors of their frequencies.
Result<std::vector<RopeOptions>> ropes_of_gguf(std::string_view metadata, const Spec& spec,
                                               std::span<const RopeFactors> factors);

}  // namespace ropewalk::model
