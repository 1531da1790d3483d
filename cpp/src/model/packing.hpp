#pragma once

// From parameters to the packed weights that products read.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nn/linear.hpp"

namespace ropewalk::model {

class Words;

/// The destination of arriving parameters: `rows` rows of `columns` elements go to a packed weight or the table of words.
struct Claim {
  /// Place of the first element among all parameters.
  std::uint64_t offset;
  std::size_t rows, columns;
  nn::PackedWeight* weight;
  Words* words;
  /// True if the weight is the transpose of what the parameter holds.
  bool transposed = false;
};

/// The source from which a block packs its weights. Either it packs them, in float32; or it lists them in `claims`, for a
/// loader that packs each row when it arrives, in float32 or int8.
struct Packing {
  /// The model's.
  nn::Compute compute;
  /// All parameters in float32. A model that was packed by a loader has only those that are not packed.
  const float* parameters;
  /// True if a loader has packed the weights already.
  bool arrived = false;
  /// If given, weights are listed here and nothing is packed.
  std::vector<Claim>* claims = nullptr;
};

}  // namespace ropewalk::model
