#include "model/position_encoding/learned_rotation.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "rope/extent.hpp"

namespace ropewalk::model::position_encoding {

LearnedRotation::LearnedRotation(const RopeOptions& options, RowSpec spec, std::size_t heads,
                                 std::size_t parts)
    : pairs_(spec.width() / heads),
      offset_(options.rotary_offset),
      heads_(heads),
      parts_(parts),
      pairing_(options.pairing),
      tables_(std::move(spec)) {}

Result<std::unique_ptr<LearnedRotation>> LearnedRotation::make(const RopeOptions& options, std::size_t heads,
                                                               std::size_t parts) {
  ROPEWALK_LET(spec, make_row_spec(options, options.rotary_dim.value_or(options.head_dim)));
  const std::size_t pairs = spec.theta.size();
  for (std::size_t i = pairs; i < heads * pairs; ++i) {
    spec.theta.push_back(spec.theta[i - pairs]);
    spec.theta_float32.push_back(spec.theta_float32[i - pairs]);
  }
  return std::unique_ptr<LearnedRotation>(new LearnedRotation(options, std::move(spec), heads, parts));
}

void LearnedRotation::set_frequencies(std::span<const double> theta) {
  if (std::ranges::equal(theta, tables_.spec().theta)) return;
  table_ = {};
  tables_.set_frequencies(theta);
}

Status LearnedRotation::prepare(std::size_t tokens) {
  if (table_ && tokens <= rows_) return {};
  const PositionRange range{
      .function = "roformer", .low = tables_.lowest_position(), .high = tables_.highest_position()};
  ROPEWALK_TRY(check_positions(range, {}, 1, tokens));
  // As many rows as ever were asked for: the parts of a batch may differ in length.
  rows_ = std::max(rows_, tokens);
  ROPEWALK_TRY(tables_.table({.count = rows_}, {}, table_));
  const std::size_t size = rows_ * table_->width();
  ROPEWALK_TRY(opposite_.reserve(size, "roformer: positions"));
  std::transform(table_->sin(), table_->sin() + size, opposite_.data(), [](float sin) { return -sin; });
  return {};
}

void LearnedRotation::turn(nn::Compute compute, float* qkv, const nn::AttentionShape& shape,
                           const float* sin) const {
  const std::size_t hidden = heads_ * shape.head_dim;
  kernels::RotateJob job{};
  job.outer = shape.tokens;
  job.inner = heads_;
  job.x_outer = job.y_outer = static_cast<std::ptrdiff_t>(3 * hidden);
  job.x_inner = job.y_inner = static_cast<std::ptrdiff_t>(shape.head_dim);
  job.table_outer = static_cast<std::ptrdiff_t>(heads_ * pairs_);
  job.table_inner = static_cast<std::ptrdiff_t>(pairs_);
  job.cos = table_->cos();
  job.sin = sin;
  job.pairs = pairs_;
  job.offset = offset_;
  job.head_dim = shape.head_dim;
  const auto kernel =
      compute.kernels().rotate.of[static_cast<int>(DType::float32)][static_cast<int>(pairing_)];
  for (std::size_t b = 0; b < shape.batch; ++b) {
    for (std::size_t part = 0; part < parts_; ++part) {
      float* const x = qkv + b * shape.tokens * 3 * hidden + part * hidden;
      job.x = job.y = x;
      kernel(job);
    }
  }
}

void LearnedRotation::rotate(nn::Compute compute, float* qkv, const nn::AttentionShape& shape) const {
  turn(compute, qkv, shape, table_->sin());
}
void LearnedRotation::pull_back(nn::Compute compute, float* dqkv, const nn::AttentionShape& shape) const {
  turn(compute, dqkv, shape, opposite_.data());
}

}  // namespace ropewalk::model::position_encoding
