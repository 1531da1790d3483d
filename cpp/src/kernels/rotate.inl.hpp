#pragma once

// The two rotate kernels, for each element type. Pair (a, b) with table entry (c, s):  a' = a c - b s,  b' =
// b c + a s. Whether a * b + c rounds once is the architecture's choice (xsimd::fma), never the compiler's:
// contraction is off, and remainders run the same instructions on a padded copy, so the bits do not depend on
// the vector length.

#include <cstring>
#include <type_traits>

#include "kernels/pairs.inl.hpp"
#include "kernels/rotate.hpp"

namespace ropewalk::kernels {

/// One head, or `Group` heads at distances x_step and y_step that share each load of the table.
template <class Arch, class Element, class Pairs, int Group>
void rotate_heads(const typename Element::Stored* x, std::ptrdiff_t x_step, typename Element::Stored* y,
                  std::ptrdiff_t y_step, const float* cos, const float* sin, std::size_t pairs) {
  using V = Floats<Arch>;
  std::size_t j = 0;
  for (; j + V::size <= pairs; j += V::size) {
    const V c = V::load_unaligned(cos + j);
    const V s = V::load_unaligned(sin + j);
    for (int g = 0; g < Group; ++g) {
      V a, b;
      Pairs::template load<Arch, Element>(x + g * x_step, pairs, j, a, b);
      Pairs::template store<Arch, Element>(y + g * y_step, pairs, j, xsimd::fnma(b, s, a * c),
                                           xsimd::fma(a, s, b * c));
    }
  }
  if (j == pairs) return;

  alignas(64) float table[2 * V::size] = {};
  alignas(64) typename Element::Stored lanes[2 * V::size] = {};
  for (std::size_t i = 0; i < pairs - j; ++i) table[i] = cos[j + i], table[V::size + i] = sin[j + i];
  const V c = V::load_aligned(table);
  const V s = V::load_aligned(table + V::size);
  for (int g = 0; g < Group; ++g) {
    for (std::size_t i = 0; i < pairs - j; ++i) {
      lanes[i] = x[g * x_step + Pairs::first(pairs, j + i)];
      lanes[V::size + i] = x[g * x_step + Pairs::second(pairs, j + i)];
    }
    const V a = Element::template load<Arch>(lanes);
    const V b = Element::template load<Arch>(lanes + V::size);
    Element::template store<Arch>(lanes, xsimd::fnma(b, s, a * c));
    Element::template store<Arch>(lanes + V::size, xsimd::fma(a, s, b * c));
    for (std::size_t i = 0; i < pairs - j; ++i) {
      y[g * y_step + Pairs::first(pairs, j + i)] = lanes[i];
      y[g * y_step + Pairs::second(pairs, j + i)] = lanes[V::size + i];
    }
  }
}

/// The channels of a head that do not rotate.
template <class Arch, class Stored>
inline void copy_rest(const Stored* x, Stored* y, const RotateJob& job) {
  const std::size_t end = job.offset + 2 * job.pairs;
  std::memcpy(y, x, job.offset * sizeof(Stored));
  std::memcpy(y + end, x + end, (job.head_dim - end) * sizeof(Stored));
}

template <class Arch, class Element, class Pairs>
void rotate(const RotateJob& job) noexcept {
  using Stored = typename Element::Stored;
  const auto* x_base = static_cast<const Stored*>(job.x);
  auto* y_base = static_cast<Stored*>(job.y);
  const bool rest = x_base != y_base && 2 * job.pairs < job.head_dim;
  // Two heads per load of the table save a fifth of the instructions. Only where they are neighbours in the
  // table and not streams from memory: there the second stream costs more than the loads (job.streaming).
  // Beside the conversions of 16-bit elements the loads are nothing, and the code would double.
  constexpr bool groups = std::is_same_v<Element, Float32>;
  const bool pairwise = groups && job.table_inner == 0 && !job.streaming;

  for (std::size_t outer = 0; outer < job.outer; ++outer) {
    const auto o = static_cast<std::ptrdiff_t>(outer);
    const Stored* x = x_base + o * job.x_outer;
    Stored* y = y_base + o * job.y_outer;
    const float* cos = job.cos + o * job.table_outer;
    const float* sin = job.sin + o * job.table_outer;
    std::size_t inner = 0;
    if constexpr (groups) {
      for (; pairwise && inner + 2 <= job.inner; inner += 2) {
        rotate_heads<Arch, Element, Pairs, 2>(x + job.offset, job.x_inner, y + job.offset, job.y_inner, cos,
                                              sin, job.pairs);
        if (rest) {
          copy_rest<Arch>(x, y, job);
          copy_rest<Arch>(x + job.x_inner, y + job.y_inner, job);
        }
        x += 2 * job.x_inner;
        y += 2 * job.y_inner;
      }
    }
    for (; inner < job.inner; ++inner) {
      rotate_heads<Arch, Element, Pairs, 1>(x + job.offset, 0, y + job.offset, 0, cos, sin, job.pairs);
      if (rest) copy_rest<Arch>(x, y, job);
      x += job.x_inner;
      y += job.y_inner;
      cos += job.table_inner;
      sin += job.table_inner;
    }
  }
}

template <class Arch>
constexpr RotateKernels make_rotate() {
  return {{{&rotate<Arch, Float32, InterleavedPairs>, &rotate<Arch, Float32, HalfPairs>},
           {&rotate<Arch, Float16, InterleavedPairs>, &rotate<Arch, Float16, HalfPairs>},
           {&rotate<Arch, BFloat16, InterleavedPairs>, &rotate<Arch, BFloat16, HalfPairs>}}};
}

}  // namespace ropewalk::kernels
