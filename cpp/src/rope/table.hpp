#pragma once

// Tables of cos and sin, one row per token. What is rotated, unrotated or re-rotated is only a matter of which table.

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "memory/buffer.hpp"
#include "ropewalk/placement.hpp"
#include "ropewalk/rope.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk {

/// The positions of the rows of a table: start, start + 1, ..., or one value each.
struct RowPositions {
  double start = 0;
  std::span<const double> values;  // empty: start + row
  std::size_t count = 0;
  double operator[](std::size_t row) const {
    return values.empty() ? start + static_cast<double>(row) : values[row];
  }
};

enum class Direction { rotate, unrotate };

class Table {
 public:
  std::size_t rows() const { return rows_; }
  std::size_t width() const { return width_; }
  /// Row r starts at r * width().
  const float* cos() const { return values_.data(); }
  const float* sin() const { return values_.data() + rows_ * width_; }

 private:
  friend class TableMaker;
  Buffer<float> values_;  // cos rows, then sin rows
  std::size_t rows_ = 0, width_ = 0;
  // What the rows stand for, to know them again.
  Direction direction_ = Direction::rotate;
  double start_ = 0;
  std::vector<double> positions_;
};

/// Makes tables for one set of frequencies, and remembers the last: queries, keys and layers share it.
/// An entry is a function of position and frequency alone, whatever it is computed beside: a whole m is taken as
/// 64 * coarse + fine, and e^{i m theta} as the product of two tabled phasors, rounded once to float32; where that
/// would not be exact, and for fractional m, it is taken from float64 cos and sin.
class TableMaker {
 public:
  TableMaker(std::vector<double> theta, std::vector<float> theta_float32, double magnitude, Angles angles);

  std::span<const double> theta() const { return theta_; }
  double magnitude() const { return magnitude_; }
  /// The largest |m| whose angles are exact.
  double position_limit() const;
  /// How many rows keep a table within a cache's size.
  std::size_t rows_per_table() const;

  /// The rows for `positions`. Thread-safe.
  Status table(const RowPositions& positions, Direction direction, std::shared_ptr<const Table>& out);

 private:
  static constexpr std::size_t fine_steps = 64;
  Status prepare();
  bool is_last(const RowPositions& positions, Direction direction) const;
  void fill_row(double m, Direction direction, float* cos, float* sin);
  void fill_row_float32(double m, Direction direction, float* cos, float* sin);

  std::vector<double> theta_;
  std::vector<float> theta_float32_;
  double magnitude_;
  Angles angles_;

  std::mutex mutex_;
  Buffer<double> phasors_;  // fine rows, then the coarse row, then scratch
  double coarse_ = 0;       // position of the coarse row
  std::shared_ptr<Table> last_;
};

}  // namespace ropewalk
