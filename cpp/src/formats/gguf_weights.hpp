#pragma once

/// The weights of GGUF tensors as float32: F32, F16, BF16, and blocks of Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K and
/// Q6_K. Source:
/// https://github.com/ggml-org/ggml/blob/master/src/ggml-common.h. Each weight is exact but for those of Q4_1,
/// Q5_1, Q4_K and Q5_K, which round once, in their addition.

#include <cstddef>
#include <span>
#include <string>

#include "formats/gguf.hpp"

namespace ropewalk::gguf {

/// True if weights of that type can be read.
bool is_readable(const TensorType& type);
/// The names of the types that can be.
std::string readable_types();
/// The weights of whole blocks of a type that can be read: as many as `out` has room for.
void read_blocks(const TensorType& type, std::span<const std::byte> blocks, std::span<float> out);

}  // namespace ropewalk::gguf
