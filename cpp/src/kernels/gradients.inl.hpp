#pragma once

// The gradient kernels: one pass that reads x and the gradient of y, writes the gradient of x and adds up
// what frequencies, positions and magnitude need.

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
template <class Arch, class Element, class Pairs>
void gradient_head(const typename Element::Stored* x, const typename Element::Stored* grad_y, float* grad_x,
                   const float* cos, const float* sin, double* turn, double* stretch, std::size_t pairs) {
  using V = Floats<Arch>;
  V a, b, ga, gb;
  std::size_t j = 0;
  for (; j + V::size <= pairs; j += V::size) {
    const V c = V::load_unaligned(cos + j), s = V::load_unaligned(sin + j);
    Pairs::template load<Arch, Element>(x, pairs, j, a, b);
    Pairs::template load<Arch, Element>(grad_y, pairs, j, ga, gb);
    Pairs::template store<Arch, Float32>(grad_x, pairs, j, xsimd::fma(gb, s, ga * c),
                                         xsimd::fnma(ga, s, gb * c));
    add_turns<Arch>(a, b, ga, gb, turn + j, stretch + j);
  }
  if (j == pairs) return;

  const std::size_t rest = pairs - j;
  alignas(64) float table[2 * V::size] = {};
  alignas(64) typename Element::Stored lanes[4 * V::size] = {};
  alignas(64) double sums[2 * V::size] = {};
  for (std::size_t i = 0; i < rest; ++i) {
    const std::ptrdiff_t first = Pairs::first(pairs, j + i), second = Pairs::second(pairs, j + i);
    table[i] = cos[j + i], table[V::size + i] = sin[j + i];
    lanes[i] = x[first], lanes[V::size + i] = x[second];
    lanes[2 * V::size + i] = grad_y[first], lanes[3 * V::size + i] = grad_y[second];
    sums[i] = turn[j + i], sums[V::size + i] = stretch[j + i];
  }
  const V c = V::load_aligned(table), s = V::load_aligned(table + V::size);
  a = Element::template load<Arch>(lanes);
  b = Element::template load<Arch>(lanes + V::size);
  ga = Element::template load<Arch>(lanes + 2 * V::size);
  gb = Element::template load<Arch>(lanes + 3 * V::size);
  add_turns<Arch>(a, b, ga, gb, sums, sums + V::size);
  xsimd::fma(gb, s, ga * c).store_aligned(table);
  xsimd::fnma(ga, s, gb * c).store_aligned(table + V::size);
  for (std::size_t i = 0; i < rest; ++i) {
    grad_x[Pairs::first(pairs, j + i)] = table[i];
    grad_x[Pairs::second(pairs, j + i)] = table[V::size + i];
    turn[j + i] = sums[i];
    stretch[j + i] = sums[V::size + i];
  }
}

/// Channels that do not rotate.
template <class Arch, class Element>
[[gnu::noinline]] void gradient_rest(const typename Element::Stored* grad_y, float* grad_x,
                                     std::size_t count) {
  using V = Floats<Arch>;
  alignas(64) typename Element::Stored lanes[V::size] = {};
  alignas(64) float values[V::size];
  for (std::size_t i = 0; i < count; i += V::size) {
    const std::size_t n = count - i < V::size ? count - i : V::size;
    for (std::size_t k = 0; k < n; ++k) lanes[k] = grad_y[i + k];
    Element::template load<Arch>(lanes).store_aligned(values);
    for (std::size_t k = 0; k < n; ++k) grad_x[i + k] = values[k];
  }
}

template <class Arch, class Element, class Pairs>
void gradient(const GradientJob& job) noexcept {
  using Stored = typename Element::Stored;
  const std::size_t end = job.offset + 2 * job.pairs;
  for (std::size_t outer = 0; outer < job.outer; ++outer) {
    for (std::size_t inner = 0; inner < job.inner; ++inner) {
      const auto o = static_cast<std::ptrdiff_t>(outer), i = static_cast<std::ptrdiff_t>(inner);
      const std::ptrdiff_t at = o * job.x_outer + i * job.x_inner,
                           row = o * job.table_outer + i * job.table_inner;
      const Stored* x = static_cast<const Stored*>(job.x) + at;
      const Stored* grad_y = static_cast<const Stored*>(job.grad_y) + at;
      float* grad_x = job.grad_x + at;
      gradient_head<Arch, Element, Pairs>(x + job.offset, grad_y + job.offset, grad_x + job.offset,
                                          job.cos + row, job.sin + row, job.turn + row, job.stretch + row,
                                          job.pairs);
      if (end - job.offset == job.head_dim) continue;
      gradient_rest<Arch, Element>(grad_y, grad_x, job.offset);
      gradient_rest<Arch, Element>(grad_y + end, grad_x + end, job.head_dim - end);
    }
  }
}

template <class Arch>
constexpr GradientKernels make_gradients() {
  return {{{&gradient<Arch, Float32, InterleavedPairs>, &gradient<Arch, Float32, HalfPairs>},
           {&gradient<Arch, Float16, InterleavedPairs>, &gradient<Arch, Float16, HalfPairs>},
           {&gradient<Arch, BFloat16, InterleavedPairs>, &gradient<Arch, BFloat16, HalfPairs>}}};
}

}  // namespace ropewalk::kernels
