#pragma once

// Tables of cos and sin, one row per token. Whether an array is rotated, unrotated or shifted is only a matter of which
// table it meets.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>

#include "kernels/table.hpp"
#include "base/buffer.hpp"
#include "rope/row_spec.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk {

/// The positions of the rows of a table: start, start + 1, ... on every axis, or values.
struct RowPositions {
  double start = 0;
  const double* values = nullptr;   // nullptr: start + row
  std::size_t axis_stride = 0;      // from one axis's values to the next's; 0: all axes share them
  std::size_t count = 0;
  double at(std::size_t row, std::size_t axis) const {
    return values == nullptr ? start + static_cast<double>(row) : values[axis * axis_stride + row];
  }
};

/// What an entry e^{i phi}, the magnitude and xPos's scale s become.
enum class Purpose {
  rotate,    // magnitude s e^{i phi}
  unrotate,  // e^{-i phi} / (magnitude s), the inverse
  shift,     // s e^{i phi}: between two positions, where the magnitude is there already
};

struct TableKey {
  Purpose purpose = Purpose::rotate;
  Role role = Role::query;
  friend bool operator==(const TableKey&, const TableKey&) = default;
};

/// Read by those who hold a TablePtr, written by TableMaker while nobody else holds one.
class Table {
 public:
  std::size_t rows() const { return rows_; }
  std::size_t width() const { return width_; }
  /// Row r starts at r * width().
  const float* cos() const { return values_.data(); }
  const float* sin() const { return values_.data() + rows_ * width_; }

 private:
  friend class TableMaker;
  friend class TablePtr;
  Status allocate(std::size_t rows, std::size_t width);
  Status keep_positions(const RowPositions& positions, std::size_t axes);
  float* cos_row(std::size_t row) { return values_.data() + row * width_; }
  float* sin_row(std::size_t row) { return values_.data() + (rows_ + row) * width_; }

  Buffer<float> values_;  // cos rows, then sin rows
  std::size_t rows_ = 0, width_ = 0;
  // What the rows stand for, to know them again.
  TableKey key_;
  double start_ = 0;
  Buffer<double> positions_;  // (axes, rows) in the first position_count_, or none
  std::size_t position_count_ = 0;
  std::atomic<std::uint32_t> holders_ = 0;
};

/// Holds a Table. Not std::shared_ptr, whose use_count() does not order the reads of former holders before what is
/// written once it is 1, and which aborts where memory cannot be had.
class TablePtr {
 public:
  TablePtr() = default;
  TablePtr(const TablePtr& other) : table_(other.table_) {
    if (table_ != nullptr) table_->holders_.fetch_add(1, std::memory_order_relaxed);
  }
  TablePtr(TablePtr&& other) noexcept : table_(std::exchange(other.table_, nullptr)) {}
  TablePtr& operator=(TablePtr other) noexcept {
    std::swap(table_, other.table_);
    return *this;
  }
  ~TablePtr() {
    if (table_ != nullptr && table_->holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete table_;
  }

  explicit operator bool() const { return table_ != nullptr; }
  const Table* operator->() const { return table_; }
  const Table& operator*() const { return *table_; }

 private:
  friend class TableMaker;
  Status make();
  /// Whether this is the only holder, and all others have finished reading.
  bool is_alone() const { return table_ != nullptr && table_->holders_.load(std::memory_order_acquire) == 1; }
  Table* table_ = nullptr;
};

/// Makes the tables of one rope, and remembers the last: queries, keys and layers share it.
/// An entry is a function of position and frequency alone, whatever it is computed beside: with one axis a whole m is
/// taken as 64 * coarse + fine, and e^{i m theta} as the product of two tabled phasors, rounded once to float32; where
/// that would not be exact, and in all other cases, it is taken from float64 cos and sin.
class TableMaker {
 public:
  explicit TableMaker(RowSpec spec);

  const RowSpec& spec() const { return spec_; }
  /// Other frequencies, as many as there are, in the memory of the old: for those that are learned. Not while anybody
  /// else asks for rows.
  void set_frequencies(std::span<const double> theta);
  /// The positions whose angles are exact and whose xPos scale is a normal float32.
  double lowest_position() const { return lowest_position_; }
  double highest_position() const { return highest_position_; }
  /// How many rows keep a table within a cache's size.
  std::size_t rows_per_table() const { return rows_per_table_; }

  /// The rows for `positions`. Thread-safe.
  Status table(const RowPositions& positions, TableKey key, TablePtr& out);
  /// Rows that take what this maker's rope rotated at `from` to where `to`'s would have it at `to_positions`.
  Status table_between(const RowPositions& from, TableMaker& to, const RowPositions& to_positions, Role role,
                       TablePtr& out);

 private:
  static constexpr std::size_t fine_steps = 64;
  void find_limits();
  Status prepare();
  bool is_last(const RowPositions& positions, TableKey key) const;
  void fill_row(const RowPositions& positions, std::size_t row, TableKey key, float* cos, float* sin);
  bool fill_row_of_whole(double m, TableKey key, float* cos, float* sin);
  kernels::Phasors row_of(const RowPositions& positions, std::size_t row);
  const double* scales_of(const RowPositions& positions, std::size_t row, Role role);

  RowSpec spec_;
  // Known once, since every call asks.
  double lowest_position_, highest_position_;
  std::size_t rows_per_table_;
  std::mutex mutex_;
  // Fine rows and the coarse row; then rows of scratch.
  Buffer<double> phasors_;
  bool prepared_ = false;  // whether phasors_ are those of spec_
  double coarse_ = 0;      // position of the coarse row
  TablePtr last_;
};

}  // namespace ropewalk
