#pragma once

// The two rotate kernels. Pair (a, b) with table entry (c, s):  a' = a c - b s,  b' = b c + a s.
// Whether a * b + c rounds once is the architecture's choice (xsimd::fma), never the compiler's: contraction
// is off, and remainders run the same instructions on a padded copy, so the bits do not depend on the vector
// length.

#include <complex>
#include <cstring>
#include <xsimd/xsimd.hpp>

#include "kernels/rotate.hpp"

namespace ropewalk::kernels {

/// Channels (j, j + pairs) make pair j.
struct HalfPairs {
  template <class V>
  static void load(const float* x, std::size_t pairs, std::size_t j, V& a, V& b) {
    a = V::load_unaligned(x + j);
    b = V::load_unaligned(x + pairs + j);
  }
  template <class V>
  static void store(float* y, std::size_t pairs, std::size_t j, V a, V b) {
    a.store_unaligned(y + j);
    b.store_unaligned(y + pairs + j);
  }
  static std::size_t first(std::size_t, std::size_t j) { return j; }
  static std::size_t second(std::size_t pairs, std::size_t j) { return pairs + j; }
};

/// Channels (2j, 2j + 1) make pair j: a complex number in memory.
struct InterleavedPairs {
  template <class V>
  static void load(const float* x, std::size_t, std::size_t j, V& a, V& b) {
    const auto pair = xsimd::batch<std::complex<float>, typename V::arch_type>::load_unaligned(
        reinterpret_cast<const std::complex<float>*>(x + 2 * j));
    a = pair.real();
    b = pair.imag();
  }
  template <class V>
  static void store(float* y, std::size_t, std::size_t j, V a, V b) {
    xsimd::zip_lo(a, b).store_unaligned(y + 2 * j);
    xsimd::zip_hi(a, b).store_unaligned(y + 2 * j + V::size);
  }
  static std::size_t first(std::size_t, std::size_t j) { return 2 * j; }
  static std::size_t second(std::size_t, std::size_t j) { return 2 * j + 1; }
};

/// One head, or `Group` heads at distances x_step and y_step that share each load of the table.
template <class Arch, class Pairs, int Group>
void rotate_heads(const float* x, std::ptrdiff_t x_step, float* y, std::ptrdiff_t y_step, const float* cos,
                  const float* sin, std::size_t pairs) {
  using V = xsimd::batch<float, Arch>;
  std::size_t j = 0;
  for (; j + V::size <= pairs; j += V::size) {
    const V c = V::load_unaligned(cos + j);
    const V s = V::load_unaligned(sin + j);
    for (int g = 0; g < Group; ++g) {
      V a, b;
      Pairs::load(x + g * x_step, pairs, j, a, b);
      Pairs::store(y + g * y_step, pairs, j, xsimd::fnma(b, s, a * c), xsimd::fma(a, s, b * c));
    }
  }
  if (j == pairs) return;

  alignas(64) float buffer[4 * V::size] = {};
  float *a_lanes = buffer, *b_lanes = a_lanes + V::size, *c_lanes = b_lanes + V::size,
        *s_lanes = c_lanes + V::size;
  for (std::size_t i = 0; i < pairs - j; ++i) c_lanes[i] = cos[j + i], s_lanes[i] = sin[j + i];
  const V c = V::load_aligned(c_lanes);
  const V s = V::load_aligned(s_lanes);
  for (int g = 0; g < Group; ++g) {
    for (std::size_t i = 0; i < pairs - j; ++i) {
      a_lanes[i] = x[g * x_step + static_cast<std::ptrdiff_t>(Pairs::first(pairs, j + i))];
      b_lanes[i] = x[g * x_step + static_cast<std::ptrdiff_t>(Pairs::second(pairs, j + i))];
    }
    const V a = V::load_aligned(a_lanes);
    const V b = V::load_aligned(b_lanes);
    xsimd::fnma(b, s, a * c).store_aligned(a_lanes);
    xsimd::fma(a, s, b * c).store_aligned(b_lanes);
    for (std::size_t i = 0; i < pairs - j; ++i) {
      y[g * y_step + static_cast<std::ptrdiff_t>(Pairs::first(pairs, j + i))] = a_lanes[i];
      y[g * y_step + static_cast<std::ptrdiff_t>(Pairs::second(pairs, j + i))] = b_lanes[i];
    }
  }
}

/// The channels of a head that do not rotate.
inline void copy_rest(const float* x, float* y, const RotateJob& job) {
  const std::size_t end = job.offset + 2 * job.pairs;
  std::memcpy(y, x, job.offset * sizeof(float));
  std::memcpy(y + end, x + end, (job.head_dim - end) * sizeof(float));
}

template <class Arch, class Pairs>
void rotate(const RotateJob& job) noexcept {
  const auto* x_base = static_cast<const float*>(job.x);
  auto* y_base = static_cast<float*>(job.y);
  const bool rest = x_base != y_base && 2 * job.pairs < job.head_dim;
  // Two heads per load of the table save a fifth of the instructions. Only where they are neighbours in the
  // table and not streams from memory: there the second stream costs more than the loads (job.streaming).
  const bool pairwise = job.table_inner == 0 && !job.streaming;

  for (std::size_t outer = 0; outer < job.outer; ++outer) {
    const auto o = static_cast<std::ptrdiff_t>(outer);
    const float* x = x_base + o * job.x_outer;
    float* y = y_base + o * job.y_outer;
    const float* cos = job.cos + o * job.table_outer;
    const float* sin = job.sin + o * job.table_outer;
    std::size_t inner = 0;
    if (pairwise) {
      for (; inner + 2 <= job.inner; inner += 2) {
        rotate_heads<Arch, Pairs, 2>(x + job.offset, job.x_inner, y + job.offset, job.y_inner, cos, sin,
                                     job.pairs);
        if (rest) {
          copy_rest(x, y, job);
          copy_rest(x + job.x_inner, y + job.y_inner, job);
        }
        x += 2 * job.x_inner;
        y += 2 * job.y_inner;
      }
    }
    for (; inner < job.inner; ++inner) {
      rotate_heads<Arch, Pairs, 1>(x + job.offset, 0, y + job.offset, 0, cos, sin, job.pairs);
      if (rest) copy_rest(x, y, job);
      x += job.x_inner;
      y += job.y_inner;
      cos += job.table_inner;
      sin += job.table_inner;
    }
  }
}

template <class Arch>
constexpr RotateKernels make_rotate() {
  return {{&rotate<Arch, InterleavedPairs>, &rotate<Arch, HalfPairs>}};
}

}  // namespace ropewalk::kernels
