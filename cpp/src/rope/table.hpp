#pragma once

// Tables of cos and sin, one row per token. Rotating, unrotating and rerotating an array differ only in the
// table.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>

#include "base/buffer.hpp"
#include "kernels/table.hpp"
#include "rope/row_spec.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk {

/// The positions of the rows of a table: start, start + 1, ... on every axis, or values.
struct RowPositions {
  double start = 0;
  const double* values = nullptr;  // nullptr: start + row
  std::size_t axis_stride = 0;     // from one axis's values to the next's; 0: all axes share them
  std::size_t count = 0;
  double at(std::size_t row, std::size_t axis) const {
    return values == nullptr ? start + static_cast<double>(row) : values[axis * axis_stride + row];
  }
};

/// The number that is made of an entry e^{i phi}, the magnitude and xPos's scale s.
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

/// Holders of a TablePtr read it. TableMaker writes it while nobody else holds one.
class Table {
 public:
  std::size_t rows() const { return rows_; }
  std::size_t width() const { return width_; }
  /// Row r starts at r * width().
  const float* cos() const { return values_.data(); }
  const float* sin() const { return values_.data() + rows_ * width_; }
  /// The scale of queries that cos and sin hold, for channels without an entry: one a row, or null where there is none.
  const float* scales() const { return scaled_ ? values_.data() + 2 * rows_ * width_ : nullptr; }

 private:
  friend class TableMaker;
  friend class TablePtr;
  Status allocate(std::size_t rows, std::size_t width, bool scaled);
  Status keep_positions(const RowPositions& positions, std::size_t axes);
  float* cos_row(std::size_t row) { return values_.data() + row * width_; }
  float* sin_row(std::size_t row) { return values_.data() + (rows_ + row) * width_; }
  void keep_scale(std::size_t row, double scale) {
    if (scaled_) values_[2 * rows_ * width_ + row] = static_cast<float>(scale);
  }

  Buffer<float> values_;  // cos rows, then sin rows, then scales
  bool scaled_ = false;
  std::size_t rows_ = 0, width_ = 0;
  // Identify what the rows stand for, so that they can be reused.
  TableKey key_;
  double start_ = 0;
  Buffer<double> positions_;  // (axes, rows) in the first position_count_, or none
  std::size_t position_count_ = 0;
  std::atomic<std::uint32_t> holders_ = 0;
};

/// Holds a Table. std::shared_ptr does not fit: its use_count() does not order the reads of former holders
/// before writes that follow a count of 1, and it aborts if memory cannot be allocated.
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
  /// True if this is the only holder and all others have finished reading.
  bool is_alone() const { return table_ != nullptr && table_->holders_.load(std::memory_order_acquire) == 1; }
  Table* table_ = nullptr;
};

/// Makes the tables of one rope and remembers the last one, which queries, keys and layers share. An entry
/// depends on position and frequency alone, not on what else is computed. With one axis a whole m is split
/// into 64 * coarse + fine, and e^{i m theta} is the product of two tabulated phasors, rounded once to
/// float32. Where that would not be exact, and in all other cases, it comes from float64 cos and sin.
class TableMaker {
 public:
  explicit TableMaker(RowSpec spec);

  const RowSpec& spec() const { return spec_; }
  /// Replaces the frequencies by the same number of others, in the same memory, for frequencies that are
  /// learned. Nobody else may ask for rows meanwhile.
  void set_frequencies(std::span<const double> theta);
  /// The range of positions whose angles are exact and whose xPos scale is a normal float32.
  double lowest_position() const { return lowest_position_; }
  double highest_position() const { return highest_position_; }
  /// The number of rows that keeps a table within the size of a cache.
  std::size_t rows_per_table() const { return rows_per_table_; }

  /// Returns the rows for `positions`. Thread-safe.
  Status table(const RowPositions& positions, TableKey key, TablePtr& out);
  /// Rows that move an array from this rope's positions `from` to `to_positions` of the rope of `to`.
  Status table_between(const RowPositions& from, TableMaker& to, const RowPositions& to_positions, Role role,
                       TablePtr& out);

 private:
  static constexpr std::size_t fine_steps = 64;
  void find_limits();
  Status prepare();
  bool is_last(const RowPositions& positions, TableKey key) const;
  void fill_row(const RowPositions& positions, std::size_t row, TableKey key, Table& table);
  struct Factors {
    double cos, sin;
  };
  bool fill_row_of_whole(double m, Factors factor, float* cos, float* sin);
  /// The factor of a query at a row's position; 1 for keys and without RopeOptions::query_scale.
  double query_scale_of(const RowPositions& positions, std::size_t row, Role role) const;
  bool is_scaled(Role role) const { return role == Role::query && spec_.query_scale; }
  kernels::Phasors row_of(const RowPositions& positions, std::size_t row);
  const double* scales_of(const RowPositions& positions, std::size_t row, Role role);

  RowSpec spec_;
  // Computed once, since every call needs it.
  double lowest_position_, highest_position_;
  std::size_t rows_per_table_;
  std::mutex mutex_;
  // Fine rows and the coarse row, then the scratch rows.
  Buffer<double> phasors_;
  bool prepared_ = false;  // whether phasors_ are those of spec_
  double coarse_ = 0;      // position of the coarse row
  TablePtr last_;
};

}  // namespace ropewalk
