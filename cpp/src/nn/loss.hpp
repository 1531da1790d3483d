#pragma once

// The result of a loss function.

#include <cstddef>
#include <cstdint>

namespace ropewalk::nn {

/// A row with this label takes no part, as in PyTorch.
inline constexpr std::int32_t ignored_label = -100;

struct Loss {
  double loss;          // mean over the counted rows; 0 when there is none
  std::size_t counted;  // rows whose label is not ignored_label
  std::size_t correct;  // counted rows whose largest logit is the label's
};

}  // namespace ropewalk::nn
