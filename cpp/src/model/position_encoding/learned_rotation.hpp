#pragma once

#include <cstddef>
#include <span>

#include "base/buffer.hpp"
#include "nn/attention.hpp"
#include "nn/compute.hpp"
#include "rope/table.hpp"

namespace ropewalk::model::position_encoding {

/// Projections (B,T,3,H,D) that rotate in place at positions 0..T-1 by frequencies that training changes: the
/// tables of a step are written over those of the step before, where a rope, which does not change, would be
/// made anew.
class LearnedRotation {
 public:
  /// Each head begins with the frequencies of `options`, which are of all heads. `parts`: 2 for queries and
  /// keys, or 3 for values too.
  static Result<std::unique_ptr<LearnedRotation>> make(const RopeOptions& options, std::size_t heads,
                                                       std::size_t parts);

  /// theta (H,d/2), finite. Call prepare before the next pass.
  void set_frequencies(std::span<const double> theta);
  /// Builds the tables of T tokens, so that the passes of as many or fewer only read them.
  Status prepare(std::size_t tokens);

  void rotate(nn::Compute compute, float* qkv, const nn::AttentionShape& shape) const;
  /// The gradient of rotate: from that of the rotated to that of the projections.
  void pull_back(nn::Compute compute, float* dqkv, const nn::AttentionShape& shape) const;

 private:
  LearnedRotation(const RopeOptions& options, RowSpec spec, std::size_t heads, std::size_t parts);
  void turn(nn::Compute compute, float* qkv, const nn::AttentionShape& shape, const float* sin) const;

  std::size_t pairs_, offset_, heads_, parts_;
  Pairing pairing_;
  TableMaker tables_;
  TablePtr table_;          // of rows_ tokens, or none since the frequencies changed
  Buffer<float> opposite_;  // (rows_,H,d/2): -sin, which turns back
  std::size_t rows_ = 0;    // of the longest table so far
};

}  // namespace ropewalk::model::position_encoding
