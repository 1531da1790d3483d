#pragma once

// A checked placement: its sizes, strides and positions are valid.

#include <cstddef>
#include <span>
#include <string_view>

#include "ropewalk/dtype.hpp"
#include "ropewalk/placement.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk {

/// Requirements for an array of heads of `head_dim` channels, and its name in messages.
struct Subject {
  std::string_view function;
  std::string_view x_name, out_name, heads_name, strides_name;
  std::size_t head_dim;
};

/// Tokens first .. first + count of one batch.
struct Segment {
  std::size_t batch = 0, first = 0, count = 0;
};

struct Extent {
  std::size_t batch = 1, sequence = 1, heads = 1;
  Strides strides;
  /// Packed sequences, if any.
  std::span<const std::size_t> cumulative_lengths;
  /// Runs of tokens that begin at the start position: batches or packed sequences.
  std::size_t segments() const { return cumulative_lengths.empty() ? batch : cumulative_lengths.size() - 1; }
  Segment segment(std::size_t i) const {
    if (cumulative_lengths.empty()) return {i, 0, sequence};
    return {0, cumulative_lengths[i], cumulative_lengths[i + 1] - cumulative_lengths[i]};
  }
};

/// Strides of a dense array in a layout.
inline Strides strides_of(Layout layout, std::size_t sequence, std::size_t heads, std::size_t head_dim) {
  const auto d = static_cast<std::ptrdiff_t>(head_dim);
  const auto s = static_cast<std::ptrdiff_t>(sequence);
  const auto h = static_cast<std::ptrdiff_t>(heads);
  if (layout == Layout::bhsd) return {.batch = h * s * d, .sequence = d, .head = s * d};
  return {.batch = s * h * d, .sequence = h * d, .head = d};
}

/// Checks sizes and strides against the arrays.
Result<Extent> resolve(const Subject& subject, const Placement& placement, std::size_t heads,
                       const std::optional<Strides>& strides, ArrayRef x, MutableArrayRef out);

/// True if a head of `a` overlaps a head of `b`. The ranges of the arrays may cross without that, for example
/// for queries and keys that one product wrote side by side. Both arrays have been resolved.
bool share_heads(ArrayRef a, const Extent& a_extent, ArrayRef b, const Extent& b_extent,
                 std::size_t head_dim);

/// The positions that an argument may have: number of axes and range.
struct PositionRange {
  std::string_view function;
  std::string_view name = "positions";
  std::size_t axes = 1;
  double low = 0, high = 0;
};

/// Checks that there is a start position, or one position per token (and axis), each within the range.
Status check_positions(const PositionRange& range, const Positions& positions, std::size_t batch,
                       std::size_t sequence);

}  // namespace ropewalk
