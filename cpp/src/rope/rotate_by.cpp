#include "ropewalk/rotate_by.hpp"

#include <algorithm>
#include <cmath>

#include "arch/select.hpp"
#include "base/buffer.hpp"
#include "base/text.hpp"
#include "ropewalk/dtype.hpp"

namespace ropewalk {
namespace {

// Larger angles would lose the last bits of cos and sin: see kernels/table.inl.hpp.
constexpr double largest_angle = 0x1p45;
// Angles at a time, whose table stays in the first-level cache beside the tokens that it rotates.
constexpr std::size_t angles_per_block = 1024;

/// A rotation, or with grad_y its gradient.
struct Call {
  std::string_view function;
  std::span<const float> x;
  std::span<const double> angles;
  const GivenAngles& shape;
  const float* grad_y;  // null: none
  float* out;           // y or grad_x
  double* grad_angles;  // with grad_y
};

Status check(const Call& call) {
  const GivenAngles& shape = call.shape;
  if (shape.pairs == 0 || shape.pairs > shape.dimension / 2) {
    return out_of_range(call.function, "pairs", shape.pairs, "a whole number from 1 to dimension / 2");
  }
  // Exact below 2^53, and no array has as many elements.
  const double tokens = static_cast<double>(shape.batch) * static_cast<double>(shape.sequence);
  const double rows = tokens * static_cast<double>(shape.heads), pairs = static_cast<double>(shape.pairs);
  const double elements = rows * static_cast<double>(shape.dimension);
  if (static_cast<double>(call.x.size()) != elements) {
    return wrong_count(call.function, "x", call.x.size(), "batch * sequence * heads * dimension");
  }
  const double angles = static_cast<double>(call.angles.size());
  if (angles != rows * pairs && angles != tokens * pairs) {
    return wrong_count(call.function, "angles", call.angles.size(),
                       "batch * sequence * heads * pairs, or batch * sequence * pairs");
  }
  for (double angle : call.angles) {
    if (!(std::fabs(angle) <= largest_angle)) {
      return out_of_range(call.function, "angles", angle, "finite numbers of radians, at most 2^45");
    }
  }
  return {};
}

/// A block of whole tokens: tokens outside, heads inside. Job is RotateJob or GradientJob.
template <class Job>
Job job_of(const GivenAngles& shape, std::size_t tokens, std::size_t row, const float* cos,
           const float* sin) {
  Job job{};
  job.outer = tokens, job.inner = shape.heads;
  job.x_inner = static_cast<std::ptrdiff_t>(shape.dimension);
  job.x_outer = job.x_inner * static_cast<std::ptrdiff_t>(shape.heads);
  job.table_outer = static_cast<std::ptrdiff_t>(row);
  job.table_inner = row == shape.pairs ? 0 : static_cast<std::ptrdiff_t>(shape.pairs);
  job.pairs = shape.pairs;
  job.head_dim = shape.dimension;
  job.cos = cos, job.sin = sin;
  return job;
}

Status run(const Call& call) {
  ROPEWALK_TRY(check(call));
  if (call.x.empty()) return {};
  const GivenAngles& shape = call.shape;
  const auto pairing = static_cast<int>(shape.pairing);
  const std::size_t tokens = shape.batch * shape.sequence, row = call.angles.size() / tokens;
  const std::size_t block = std::clamp(angles_per_block / row, std::size_t{1}, tokens), entries = block * row;
  Buffer<double> numbers;
  ROPEWALK_TRY(numbers.allocate(5 * entries, "rotateBy: angles"));
  Buffer<float> table;
  ROPEWALK_TRY(table.allocate(2 * entries, "rotateBy: table of cos and sin"));
  double *ones = numbers.data(), *re = ones + entries, *im = re + entries, *sums = im + entries;
  float *cos = table.data(), *sin = cos + entries;
  std::fill_n(ones, entries, 1.0);
  const kernels::Kernels& kernels = *arch::active();
  for (std::size_t first = 0; first < tokens; first += block) {
    const std::size_t count = std::min(block, tokens - first), used = count * row;
    const std::size_t at = first * shape.heads * shape.dimension;
    kernels.table.phasors(ones, call.angles.data() + first * row, used, {re, im});
    for (std::size_t i = 0; i < used; ++i)
      cos[i] = static_cast<float>(re[i]), sin[i] = static_cast<float>(im[i]);
    if (call.grad_y == nullptr) {
      auto job = job_of<kernels::RotateJob>(shape, count, row, cos, sin);
      job.x = call.x.data() + at, job.y = call.out + at;
      job.y_outer = job.x_outer, job.y_inner = job.x_inner;
      kernels.rotate.of[static_cast<int>(DType::float32)][pairing](job);
      continue;
    }
    auto job = job_of<kernels::GradientJob>(shape, count, row, cos, sin);
    job.x = call.x.data() + at, job.grad_y = call.grad_y + at, job.grad_x = call.out + at;
    job.turn = sums, job.stretch = sums + entries;
    std::fill_n(sums, 2 * entries, 0.0);
    kernels.gradients.of[pairing](job);
    double* grad = call.grad_angles + first * row;
    for (std::size_t i = 0; i < used; ++i) grad[i] = cos[i] * job.turn[i] - sin[i] * job.stretch[i];
  }
  return {};
}

Status same_size(std::string_view function, std::string_view name, std::size_t size, std::size_t needed) {
  if (size == needed) return {};
  return wrong_count(function, name, size, text_of(needed));
}

}  // namespace

Status try_rotate_by(std::span<const float> x, std::span<const double> angles, const GivenAngles& shape,
                     std::span<float> out) {
  constexpr std::string_view function = "rotate_by";
  ROPEWALK_TRY(same_size(function, "out", out.size(), x.size()));
  return run({function, x, angles, shape, nullptr, out.data(), nullptr});
}

Status try_rotate_by_gradient(std::span<const float> x, std::span<const double> angles,
                              std::span<const float> grad_y, const GivenAngles& shape,
                              std::span<float> grad_x, std::span<double> grad_angles) {
  constexpr std::string_view function = "rotate_by_gradient";
  ROPEWALK_TRY(same_size(function, "grad_y", grad_y.size(), x.size()));
  ROPEWALK_TRY(same_size(function, "grad_x", grad_x.size(), x.size()));
  ROPEWALK_TRY(same_size(function, "grad_angles", grad_angles.size(), angles.size()));
  return run({function, x, angles, shape, grad_y.data(), grad_x.data(), grad_angles.data()});
}

}  // namespace ropewalk
