#pragma once

// The members of a Rope, and what its operations share.

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "arch/select.hpp"
#include "rope/axes.hpp"
#include "rope/extent.hpp"
#include "rope/table.hpp"
#include "ropewalk/rope.hpp"

namespace ropewalk {

/// theta*_j = alpha 10000^-rho + (1 - alpha) own_j: the values that the gradients of alpha and rho need.
struct ReceptiveFieldTerms {
  std::vector<double> alpha, rho;  // one, or one per block of d/2 frequencies
  std::vector<double> own;         // as Rope::frequencies()
};

struct Rope::State {
  std::size_t head_dim, rotary_dim, rotary_offset;
  Pairing pairing;
  mutable TableMaker tables;
  std::optional<ReceptiveFieldTerms> receptive_field;
  Windows windows;

  struct Array {
    ArrayRef x;
    MutableArrayRef out;
    Extent extent;
    TableKey key;
  };

  /// Loops over a window of the heads of some tokens in the order of memory, and over the rows of a table with them.
  /// Returns the offset of the first one in elements. Job is RotateJob or GradientJob.
  template <class Job>
  std::ptrdiff_t place(Job& job, const Window& window, const Extent& extent, std::size_t batch,
                       std::size_t first_token, std::size_t tokens) const {
    const Strides& strides = extent.strides;
    const std::size_t width = tables.spec().width();
    const auto row = static_cast<std::ptrdiff_t>(width);
    const std::ptrdiff_t per_head = width == pairs() ? 0 : static_cast<std::ptrdiff_t>(pairs());
    job.pairs = window.pairs;
    job.offset = window.offset;
    job.head_dim = window.channels;
    if (strides.head <= strides.sequence) {  // tokens outside: bshd
      job.outer = tokens, job.x_outer = strides.sequence, job.table_outer = row;
      job.inner = extent.heads, job.x_inner = strides.head, job.table_inner = per_head;
    } else {  // heads outside: bhsd
      job.outer = extent.heads, job.x_outer = strides.head, job.table_outer = per_head;
      job.inner = tokens, job.x_inner = strides.sequence, job.table_inner = row;
    }
    return static_cast<std::ptrdiff_t>(batch) * strides.batch +
           static_cast<std::ptrdiff_t>(first_token) * strides.sequence +
           static_cast<std::ptrdiff_t>(window.begin);
  }
  std::size_t pairs() const { return rotary_dim / 2; }
  PositionRange range(std::string_view function, std::string_view name = "positions") const {
    return {function, name, tables.spec().axes, tables.lowest_position(), tables.highest_position()};
  }
  Status check_heads(std::string_view function, std::string_view name, std::size_t heads) const;
  Result<Array> check(const Subject& subject, const Placement& placement, std::size_t heads,
                      const std::optional<Strides>& strides, ArrayRef x, MutableArrayRef out,
                      TableKey key) const;
  static Status check_apart(std::string_view function, const Array& q, const Array& k, std::size_t head_dim);
  Status apply(arch::Architecture architecture, const Placement& placement,
               std::span<const Array> arrays) const;
  Status apply_between(arch::Architecture architecture, const Placement& placement, const Array& array,
                       const State& to, const Positions& to_positions) const;
  void run(arch::Architecture architecture, const Array& array, const Table& table, std::size_t batch,
           std::size_t first_token, std::size_t tokens) const;
  /// Multiplies the channels that do not rotate by the scales of some tokens' queries.
  void scale_the_rest(MutableArrayRef out, const Extent& extent, const float* scales, std::size_t batch,
                      std::size_t first_token, std::size_t tokens) const;
  /// Returns whether x was rotated: false if the call is not of the simplest kind, or invalid.
  bool simple_call(arch::Architecture architecture, ArrayRef x, MutableArrayRef out,
                   const Placement& placement, TableKey key) const;
  Status one(arch::Architecture architecture, std::string_view function, ArrayRef x, MutableArrayRef out,
             const Placement& placement, TableKey key) const;
};

}  // namespace ropewalk
