#pragma once

// The two rotate kernels, for each element type. Pair (a, b) with table entry (c, s):  a' = a c - b s,  b' =
// b c + a s. Whether a * b + c rounds once is the architecture's choice (xsimd::fma), never the compiler's:
// contraction is off, and remainders run the same instructions on a padded copy, so the bits do not depend on
// the vector length.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "kernels/pairs.inl.hpp"
#include "kernels/rotate.hpp"

namespace ropewalk::kernels {

/// Turns one batch of pairs by one batch of the table.
template <class Arch, class Element, class Pairs>
struct Turn {
  using V = Floats<Arch>;
  using Stored = typename Element::Stored;
  const V c, s;

  Turn(const float* cos, const float* sin) noexcept : c(V::load_unaligned(cos)), s(V::load_unaligned(sin)) {}

  void operator()(const Stored* x, Stored* y, std::size_t pairs, std::size_t j) const noexcept {
    V a, b;
    Pairs::template load<Arch, Element>(x, pairs, j, a, b);
    Pairs::template store<Arch, Element>(y, pairs, j, xsimd::fnma(b, s, a * c), xsimd::fma(a, s, b * c));
  }
};

/// The same for interleaved float32, pairs left as they lie: (a, b) times (c, c) plus (b, a) times (-s, s).
/// That takes one shuffle per vector of x instead of two, and four to begin with, which pays where heads
/// share the table.
template <class Arch>
struct TurnInterleaved {
  using V = Floats<Arch>;
  const V c_low, c_high, s_low, s_high;

  TurnInterleaved(const float* cos, const float* sin) noexcept
      : TurnInterleaved(V::load_unaligned(cos), V::load_unaligned(sin)) {}

  void operator()(const float* x, float* y, std::size_t, std::size_t j) const noexcept {
    const V low = V::load_unaligned(x + 2 * j), high = V::load_unaligned(x + 2 * j + V::size);
    xsimd::fma(swapped(low), s_low, low * c_low).store_unaligned(y + 2 * j);
    xsimd::fma(swapped(high), s_high, high * c_high).store_unaligned(y + 2 * j + V::size);
  }

 private:
  TurnInterleaved(V c, V s) noexcept
      : c_low(xsimd::zip_lo(c, c)),
        c_high(xsimd::zip_hi(c, c)),
        s_low(xsimd::zip_lo(-s, s)),
        s_high(xsimd::zip_hi(-s, s)) {}

  struct Neighbour {
    static constexpr std::uint32_t get(std::uint32_t lane, std::uint32_t) { return lane ^ 1; }
  };
  static V swapped(V x) noexcept {
    return xsimd::swizzle(x, xsimd::make_batch_constant<std::uint32_t, Neighbour, Arch>());
  }
};

/// `Batches` batches of pairs of one head or many: their part of the table stays in registers while the heads
/// pass.
template <class Arch, class Turns, int Batches, class Stored, class Heads>
[[gnu::always_inline]] inline void rotate_slice(const Stored* x, std::ptrdiff_t x_step, Stored* y,
                                                std::ptrdiff_t y_step, Heads heads, const float* cos,
                                                const float* sin, std::size_t pairs) noexcept {
  constexpr std::size_t size = Floats<Arch>::size;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const Turns turns[] = {Turns(cos + I * size, sin + I * size)...};
    for (std::size_t head = 0; head < heads; ++head) {
      (turns[I](x, y, pairs, I * size), ...);
      x += x_step;
      y += y_step;
    }
  }
  (std::make_index_sequence<Batches>());
}

/// The last pairs of one head, fewer than a batch, on a padded copy.
template <class Arch, class Element, class Pairs>
[[gnu::noinline]] void rotate_tail(const typename Element::Stored* x, typename Element::Stored* y,
                                   const float* cos, const float* sin, std::size_t pairs,
                                   std::size_t count) noexcept {
  using V = Floats<Arch>;
  alignas(64) float table[2 * V::size] = {};
  alignas(64) typename Element::Stored lanes[2 * V::size] = {};
  for (std::size_t i = 0; i < count; ++i) {
    table[i] = cos[i], table[V::size + i] = sin[i];
    lanes[i] = x[Pairs::first(pairs, i)], lanes[V::size + i] = x[Pairs::second(pairs, i)];
  }
  Turn<Arch, Element, HalfPairs>(table, table + V::size)(lanes, lanes, V::size, 0);
  for (std::size_t i = 0; i < count; ++i) {
    y[Pairs::first(pairs, i)] = lanes[i];
    y[Pairs::second(pairs, i)] = lanes[V::size + i];
  }
}

/// Heads at distances x_step and y_step that share a row of the table. InPlace: x is y, and one pointer less
/// to move.
template <class Arch, class Element, class Pairs, class Turns, int Batches, bool InPlace, class Heads>
void rotate_heads(const typename Element::Stored* x, std::ptrdiff_t x_step, typename Element::Stored* y,
                  std::ptrdiff_t y_step, Heads heads, const float* cos, const float* sin,
                  std::size_t pairs) noexcept {
  constexpr std::size_t size = Floats<Arch>::size;
  if constexpr (InPlace) x = y, x_step = y_step;
  std::size_t left = pairs;
  const auto slice = [&]<int Count>(std::integral_constant<int, Count>) {
    for (; left >= Count * size; left -= Count * size) {
      rotate_slice<Arch, Turns, Count>(x, x_step, y, y_step, heads, cos, sin, pairs);
      x += Pairs::first(pairs, Count * size);
      y += Pairs::first(pairs, Count * size);
      cos += Count * size;
      sin += Count * size;
    }
  };
  slice(std::integral_constant<int, Batches>());
  if constexpr (Batches > 1) slice(std::integral_constant<int, 1>());
  if (left == 0) return;
  for (std::size_t head = 0; head < heads; ++head) {
    rotate_tail<Arch, Element, Pairs>(x, y, cos, sin, pairs, left);
    x += x_step;
    y += y_step;
  }
}

/// The channels of a head that do not rotate.
template <class Arch, class Stored>
void copy_rest(const Stored* x, Stored* y, const RotateJob& job) {
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
  // Where heads share the table and x is in a cache, a slice of the table stays in registers for all of them:
  // half the loads. From memory (job.streaming) heads are taken in order instead: so many streams would cost
  // more than the loads. Beside the conversions of 16-bit elements the loads are nothing, and the code would
  // double.
  constexpr bool shares = std::is_same_v<Element, Float32>;
  constexpr bool interleaved = std::is_same_v<Pairs, InterleavedPairs>;
  using Single = Turn<Arch, Element, Pairs>;
  using Shared = std::conditional_t<interleaved, TurnInterleaved<Arch>, Single>;
  // A slice is a cache line of each stream that it touches.
  constexpr int line = shares ? std::max(1, static_cast<int>(16 / Floats<Arch>::size)) : 1;
  const bool shared = shares && job.table_inner == 0 && !job.streaming && job.inner > 2;

  for (std::size_t outer = 0; outer < job.outer; ++outer) {
    const auto o = static_cast<std::ptrdiff_t>(outer);
    const Stored* x = x_base + o * job.x_outer + job.offset;
    Stored* y = y_base + o * job.y_outer + job.offset;
    const float* cos = job.cos + o * job.table_outer;
    const float* sin = job.sin + o * job.table_outer;
    if constexpr (shares) {
      constexpr int batches = interleaved ? std::max(1, line / 2) : line;
      if (shared && x_base == y_base) {
        rotate_heads<Arch, Element, Pairs, Shared, batches, true>(x, job.x_inner, y, job.y_inner, job.inner,
                                                                  cos, sin, job.pairs);
      } else if (shared) {
        rotate_heads<Arch, Element, Pairs, Shared, batches, false>(x, job.x_inner, y, job.y_inner, job.inner,
                                                                   cos, sin, job.pairs);
      }
    }
    for (std::size_t inner = 0; !shared && inner < job.inner; ++inner) {
      const auto i = static_cast<std::ptrdiff_t>(inner);
      rotate_heads<Arch, Element, Pairs, Single, line, false>(
          x + i * job.x_inner, 0, y + i * job.y_inner, 0, std::integral_constant<std::size_t, 1>(),
          cos + i * job.table_inner, sin + i * job.table_inner, job.pairs);
    }
    for (std::size_t inner = 0; rest && inner < job.inner; ++inner) {
      const auto i = static_cast<std::ptrdiff_t>(inner);
      copy_rest<Arch>(x + i * job.x_inner - job.offset, y + i * job.y_inner - job.offset, job);
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
