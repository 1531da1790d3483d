#pragma once

// The gradient kernels: one pass that reads x and the gradient of y, writes the gradient of x and adds up
// what frequencies, positions and magnitude need.

#include <cstring>

#include "kernels/gradients.hpp"
#include "kernels/pairs.inl.hpp"

namespace ropewalk::kernels {

/// turn and stretch, of Floats<Arch>::size pairs.
template <class Arch>
inline void add_turns(Floats<Arch> a, Floats<Arch> b, Floats<Arch> ga, Floats<Arch> gb, double* turn,
                      double* stretch) noexcept {
  using D = xsimd::batch<double, Arch>;
  const auto a2 = xsimd::widen(a), b2 = xsimd::widen(b), ga2 = xsimd::widen(ga), gb2 = xsimd::widen(gb);
  for (std::size_t i = 0; i < 2; ++i) {
    // In this order, so that the order of heads alone decides about the bits.
    const D turned = (D::load_unaligned(turn + i * D::size) + gb2[i] * a2[i]) - ga2[i] * b2[i];
    const D stretched = (D::load_unaligned(stretch + i * D::size) + ga2[i] * a2[i]) + gb2[i] * b2[i];
    turned.store_unaligned(turn + i * D::size);
    stretched.store_unaligned(stretch + i * D::size);
  }
}

/// The rotated channels of one head.
template <class Arch, class Pairs>
void gradient_head(const float* x, const float* grad_y, float* grad_x, const float* cos, const float* sin,
                   double* turn, double* stretch, std::size_t pairs) {
  using V = Floats<Arch>;
  V a, b, ga, gb;
  std::size_t j = 0;
  for (; j + V::size <= pairs; j += V::size) {
    const V c = V::load_unaligned(cos + j), s = V::load_unaligned(sin + j);
    Pairs::template load<Arch, Float32>(x, pairs, j, a, b);
    Pairs::template load<Arch, Float32>(grad_y, pairs, j, ga, gb);
    Pairs::template store<Arch, Float32>(grad_x, pairs, j, muladd<Arch>(gb, s, ga * c),
                                         negmuladd<Arch>(ga, s, gb * c));
    add_turns<Arch>(a, b, ga, gb, turn + j, stretch + j);
  }
  if (j == pairs) return;

  const std::size_t rest = pairs - j;
  alignas(64) float table[2 * V::size] = {}, lanes[4 * V::size] = {};
  alignas(64) double sums[2 * V::size] = {};
  for (std::size_t i = 0; i < rest; ++i) {
    const std::ptrdiff_t first = Pairs::first(pairs, j + i), second = Pairs::second(pairs, j + i);
    table[i] = cos[j + i], table[V::size + i] = sin[j + i];
    lanes[i] = x[first], lanes[V::size + i] = x[second];
    lanes[2 * V::size + i] = grad_y[first], lanes[3 * V::size + i] = grad_y[second];
    sums[i] = turn[j + i], sums[V::size + i] = stretch[j + i];
  }
  const V c = V::load_aligned(table), s = V::load_aligned(table + V::size);
  a = V::load_aligned(lanes), b = V::load_aligned(lanes + V::size);
  ga = V::load_aligned(lanes + 2 * V::size), gb = V::load_aligned(lanes + 3 * V::size);
  add_turns<Arch>(a, b, ga, gb, sums, sums + V::size);
  muladd<Arch>(gb, s, ga * c).store_aligned(table);
  negmuladd<Arch>(ga, s, gb * c).store_aligned(table + V::size);
  for (std::size_t i = 0; i < rest; ++i) {
    grad_x[Pairs::first(pairs, j + i)] = table[i];
    grad_x[Pairs::second(pairs, j + i)] = table[V::size + i];
    turn[j + i] = sums[i];
    stretch[j + i] = sums[V::size + i];
  }
}

template <class Arch, class Pairs>
void gradient(const GradientJob& job) noexcept {
  const std::size_t end = job.offset + 2 * job.pairs;
  for (std::size_t outer = 0; outer < job.outer; ++outer) {
    for (std::size_t inner = 0; inner < job.inner; ++inner) {
      const auto o = static_cast<std::ptrdiff_t>(outer), i = static_cast<std::ptrdiff_t>(inner);
      const std::ptrdiff_t at = o * job.x_outer + i * job.x_inner,
                           row = o * job.table_outer + i * job.table_inner;
      const float *x = job.x + at, *grad_y = job.grad_y + at;
      float* grad_x = job.grad_x + at;
      gradient_head<Arch, Pairs>(x + job.offset, grad_y + job.offset, grad_x + job.offset, job.cos + row,
                                 job.sin + row, job.turn + row, job.stretch + row, job.pairs);
      // Channels that do not rotate; in place they may be there already.
      std::memmove(grad_x, grad_y, job.offset * sizeof(float));
      std::memmove(grad_x + end, grad_y + end, (job.head_dim - end) * sizeof(float));
    }
  }
}

template <class Arch>
constexpr GradientKernels make_gradients() {
  return {{&gradient<Arch, InterleavedPairs>, &gradient<Arch, HalfPairs>}};
}

}  // namespace ropewalk::kernels
