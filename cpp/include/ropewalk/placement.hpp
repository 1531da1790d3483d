#pragma once

/// Places of the heads of an array in memory, and positions of its tokens.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace ropewalk {

/// Memory order of x: b batch, s sequence, h head, d head dimension. thd is packed sequences [tokens, heads,
/// head_dim], cut by cumulative_lengths.
enum class Layout { bshd = 0, bhsd = 1, thd = 2 };

/// Distances between neighbours, in elements. The head's own channels are always contiguous.
struct Strides {
  /// From sequence to sequence.
  std::ptrdiff_t batch = 0;
  /// From token to token.
  std::ptrdiff_t sequence = 0;
  /// From head to head.
  std::ptrdiff_t head = 0;
};

/// The position m of every token: a start (token s stands at start + s, in every packed sequence anew), or one value
/// per token, [S] or [B*S]; with several axes also one per axis and token, [axes*B*S], axis-major. Negative and
/// fractional values are allowed. Values are not copied: they outlive the call.
class Positions {
 public:
  /// Token s stands at start + s.
  Positions(double start = 0) : start_(start) {}
  /// One value per token, or per axis and token.
  Positions(std::span<const double> values) : values_(values), explicit_(true) {}
  /// The same, of a vector.
  Positions(const std::vector<double>& values) : values_(values), explicit_(true) {}

  /// True if the positions are counted from start().
  bool is_start() const { return !explicit_; }
  /// The position of the first token.
  double start() const { return start_; }
  /// The given values; empty for a start.
  std::span<const double> values() const { return values_; }

 private:
  double start_ = 0;
  std::span<const double> values_;
  bool explicit_ = false;
};

/// Sizes by name, so that no order of axes can be mistaken.
struct Placement {
  /// B.
  std::size_t batch = 1;
  /// S, tokens of a sequence, or of all packed sequences.
  std::size_t sequence = 0;
  /// H.
  std::size_t heads = 0;
  /// Memory order.
  Layout layout = Layout::bshd;
  /// thd: where each packed sequence begins, then the total, which is `sequence`: [0, 5, 12] is two sequences of 5 and
  /// 7 tokens. Batch is 1.
  std::span<const std::size_t> cumulative_lengths = {};
  /// Instead of a layout.
  std::optional<Strides> strides = std::nullopt;
  /// Positions of the tokens.
  Positions positions = {};
};

}  // namespace ropewalk
