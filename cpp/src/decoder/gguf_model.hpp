#pragma once

// A decoder in a GGUF file: its metadata as the configuration of a family, its tensors under that family's
// names. Names, keys and permutations are those of llama.cpp's converter.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/buffer.hpp"
#include "ropewalk/safetensors.hpp"
#include "ropewalk/spec.hpp"

namespace ropewalk::decoder {

struct GgufModel {
  Spec spec;
  std::size_t max_positions;
  /// The metadata as JSON, without long arrays.
  std::string metadata;
  /// As a safetensors file would hold them; views of the file, or of `memory`.
  std::vector<SafetensorsTensor> tensors;
  /// The values of tensors whose blocks were read.
  std::vector<Buffer<float>> memory;
};

/// Errors: those of gguf::Header::open; an architecture or a type of tensor that is not read, a key that is
/// missing or out of range, each by its name.
Result<GgufModel> open_gguf(std::span<const std::byte> file);

}  // namespace ropewalk::decoder
