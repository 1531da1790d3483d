#pragma once

// The two rotate kernels, for each element type. Pair (a, b) with table entry (c, s):  a' = a c - b s,  b' =
// b c + a s. Whether a * b + c rounds once is the architecture's choice (muladd), never the compiler's:
// contraction is off, and remainders run the same instructions on a padded copy, so the bits do not depend on
// the vector length.

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "kernels/pairs.inl.hpp"
#include "kernels/rotate.hpp"
#include "kernels/words.inl.hpp"

namespace ropewalk::kernels {

/// Up to a batch of pairs on a padded copy. Pair i is x[i * spacing] and x[i * spacing + second].
template <class Arch, class Element>
[[gnu::noinline]] void turn_padded(typename Element::Stored* x, std::ptrdiff_t spacing, std::ptrdiff_t second,
                                   std::size_t count, Floats<Arch> c, Floats<Arch> s) noexcept {
  using V = Floats<Arch>;
  alignas(64) typename Element::Stored lanes[2 * V::size] = {};
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i) * spacing;
    lanes[i] = x[at], lanes[V::size + i] = x[at + second];
  }
  const V a = Element::template load<Arch>(lanes), b = Element::template load<Arch>(lanes + V::size);
  Element::template store<Arch>(lanes, negmuladd<Arch>(b, s, a * c));
  Element::template store<Arch>(lanes + V::size, muladd<Arch>(a, s, b * c));
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i) * spacing;
    x[at] = lanes[i];
    x[at + second] = lanes[V::size + i];
  }
}

/// Turns one batch of pairs by one batch of the table.
template <class Arch, class Element, class Pairs>
struct Turn {
  using V = Floats<Arch>;
  const V c, s;

  Turn(const float* cos, const float* sin) noexcept : c(V::load_unaligned(cos)), s(V::load_unaligned(sin)) {}

  void operator()(typename Element::Stored* x, std::size_t pairs, std::size_t j) const noexcept {
    V a, b;
    Pairs::template load<Arch, Element>(x, pairs, j, a, b);
    Pairs::template store<Arch, Element>(x, pairs, j, negmuladd<Arch>(b, s, a * c),
                                         muladd<Arch>(a, s, b * c));
  }
};

/// The same for interleaved float32, pairs left as they lie: (a, b) times (c, c) plus (b, a) times (-s, s).
/// It takes one shuffle per vector of x instead of two, after four at the start, which pays where heads share
/// the table.
template <class Arch>
struct TurnInterleaved {
  using V = Floats<Arch>;
  const V c_low, c_high, s_low, s_high;

  TurnInterleaved(const float* cos, const float* sin) noexcept
      : TurnInterleaved(V::load_unaligned(cos), V::load_unaligned(sin)) {}

  void operator()(float* x, std::size_t, std::size_t j) const noexcept {
    const V low = V::load_unaligned(x + 2 * j), high = V::load_unaligned(x + 2 * j + V::size);
    muladd<Arch>(swapped(low), s_low, low * c_low).store_unaligned(x + 2 * j);
    muladd<Arch>(swapped(high), s_high, high * c_high).store_unaligned(x + 2 * j + V::size);
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

/// Heads in place, steps in elements.
struct Heads {
  void* x;
  std::ptrdiff_t step;
  std::size_t count;
  const float* cos;
  const float* sin;
  std::ptrdiff_t table_step;
  std::size_t pairs;
};
using RotateHeads = void(const Heads&) noexcept;

/// The last pairs of each head, fewer than a batch. Pair i of a head is x[i * spacing] and x[i * spacing +
/// second].
template <class Arch, class Element>
[[gnu::noinline]] void rotate_tails(const Heads& heads, std::ptrdiff_t spacing,
                                    std::ptrdiff_t second) noexcept {
  using V = Floats<Arch>;
  const std::size_t count = heads.pairs % V::size;
  const auto from = static_cast<std::ptrdiff_t>(heads.pairs - count);
  auto* x = static_cast<typename Element::Stored*>(heads.x) + from * spacing;
  const float *cos = heads.cos + from, *sin = heads.sin + from;
  for (std::size_t head = 0; count != 0 && head < heads.count; ++head) {
    alignas(64) float table[2 * V::size] = {};
    for (std::size_t i = 0; i < count; ++i) table[i] = cos[i], table[V::size + i] = sin[i];
    turn_padded<Arch, Element>(x, spacing, second, count, V::load_aligned(table),
                               V::load_aligned(table + V::size));
    x += heads.step;
    cos += heads.table_step;
    sin += heads.table_step;
  }
}

/// Calls body(pair, std::index_sequence<0, ... Batches - 1>) for every `Batches` batches of pairs, then for
/// single ones.
template <class Arch, int Batches, class Body>
[[gnu::always_inline]] inline void for_slices(std::size_t pairs, Body body) noexcept {
  constexpr std::size_t size = Floats<Arch>::size;
  std::size_t pair = 0;
  for (; pair + Batches * size <= pairs; pair += Batches * size)
    body(pair, std::make_index_sequence<Batches>());
  if constexpr (Batches > 1) {
    for (; pair + size <= pairs; pair += size) body(pair, std::index_sequence<0>());
  }
}

/// One head after the other. The table is read as it is needed: a whole slice of it
/// would not fit in V8's registers beside what becomes of x.
template <class Arch, class Element, class Pairs, int Batches>
void rotate_each(const Heads& heads) noexcept {
  using Turns = Turn<Arch, Element, Pairs>;
  constexpr std::size_t size = Floats<Arch>::size;
  auto* x = static_cast<typename Element::Stored*>(heads.x);
  const float *cos = heads.cos, *sin = heads.sin;
  const std::ptrdiff_t step = heads.step, table_step = heads.table_step;
  const std::size_t pairs = heads.pairs;
  for (std::size_t i = heads.count; i > 0; --i) {
    auto* head = x;
    const float *c = cos, *s = sin;
    for_slices<Arch, Batches>(pairs, [&]<std::size_t... I>(std::size_t, std::index_sequence<I...>) {
      (Turns(c + I * size, s + I * size)(head, pairs, I * size), ...);
      head += Pairs::first(pairs, sizeof...(I) * size);
      c += sizeof...(I) * size;
      s += sizeof...(I) * size;
    });
    x += step;
    cos += table_step;
    sin += table_step;
  }
  rotate_tails<Arch, Element>(heads, Pairs::first(pairs, 1), Pairs::second(pairs, 0));
}

/// Slices of the table that stay in registers while all heads pass.
template <class Arch, class Pairs, class Turns, int Batches>
void rotate_shared(const Heads& heads) noexcept {
  constexpr std::size_t size = Floats<Arch>::size;
  const std::size_t pairs = heads.pairs, count = heads.count;
  const std::ptrdiff_t step = heads.step;
  for_slices<Arch, Batches>(pairs, [&]<std::size_t... I>(std::size_t pair, std::index_sequence<I...>) {
    const Turns turns[] = {Turns(heads.cos + pair + I * size, heads.sin + pair + I * size)...};
    float* x = static_cast<float*>(heads.x) + Pairs::first(pairs, pair);
    for (std::size_t i = count; i > 0; --i) {
      (turns[I](x, pairs, I * size), ...);
      x += step;
    }
  });
  rotate_tails<Arch, Float32>(heads, Pairs::first(pairs, 1), Pairs::second(pairs, 0));
}

/// Turns the slice of one head that TurnWords refuses, by padded copies.
template <class Arch, class Format, class Pairs>
[[gnu::noinline]] void turn_unusual(std::uint16_t* x, std::size_t pairs, const float* cos,
                                    const float* sin) noexcept {
  using V = Floats<Arch>;
  for (std::size_t i = 0; i < TurnWords<Arch, Format, Pairs>::pairs; i += V::size) {
    turn_padded<Arch, typename Format::Element>(x + Pairs::first(pairs, i), Pairs::first(pairs, 1),
                                                Pairs::second(pairs, 0), V::size, V::load_unaligned(cos + i),
                                                V::load_unaligned(sin + i));
  }
}

/// As Turn, small instead of fast.
template <class Arch, class Pairs>
struct TurnPadded {
  Floats<Arch> c, s;
  TurnPadded(const float* cos, const float* sin) noexcept
      : c(Floats<Arch>::load_unaligned(cos)), s(Floats<Arch>::load_unaligned(sin)) {}
  void operator()(std::uint16_t* x, std::size_t pairs, std::size_t) const noexcept {
    turn_padded<Arch, Float16>(x, Pairs::first(pairs, 1), Pairs::second(pairs, 0), Floats<Arch>::size, c, s);
  }
};
/// Turns a single batch of pairs, which is too short for TurnWords.
template <class Arch, class Element, class Pairs>
using Batch =
    std::conditional_t<std::is_same_v<Element, Float16>, TurnPadded<Arch, Pairs>, Turn<Arch, Element, Pairs>>;

/// 16-bit elements, word by word, of heads that share the table: a slice of it stays in registers while all heads
/// pass. The innermost loop calls nothing, or V8 would keep all that it needs in memory.
template <class Arch, class Format, class Pairs>
void rotate_words(const Heads& heads) noexcept {
  using Turns = TurnWords<Arch, Format, Pairs>;
  const std::size_t pairs = heads.pairs, sliced = pairs - pairs % Turns::pairs;
  const std::ptrdiff_t step = heads.step;
  const float *cos = heads.cos, *sin = heads.sin;
  const auto at = [&](std::size_t pair) {
    return static_cast<std::uint16_t*>(heads.x) + Pairs::first(pairs, pair);
  };
  for (std::size_t pair = 0; pair < sliced; pair += Turns::pairs) {
    const Turns turn(cos + pair, sin + pair);
    std::uint16_t* x = at(pair);
    for (std::size_t left = heads.count; left > 0; --left, x += step) {
      while (left > 0 && turn(x, pairs)) x += step, --left;
      if (left == 0) break;
      turn_unusual<Arch, Format, Pairs>(x, pairs, cos + pair, sin + pair);
    }
  }
  if (Turns::pairs > Floats<Arch>::size && pairs - sliced >= Floats<Arch>::size) {
    const Batch<Arch, typename Format::Element, Pairs> turn(cos + sliced, sin + sliced);
    std::uint16_t* x = at(sliced);
    for (std::size_t left = heads.count; left > 0; --left, x += step) turn(x, pairs, 0);
  }
  rotate_tails<Arch, typename Format::Element>(heads, Pairs::first(pairs, 1), Pairs::second(pairs, 0));
}

/// One head after the other, each with its own row of the table.
template <class Stored, RotateHeads* rotate>
void rotate_alone(const Heads& heads) noexcept {
  Heads one = heads;
  one.count = 1;
  for (std::size_t i = heads.count; i > 0; --i) {
    rotate(one);
    one.x = static_cast<Stored*>(one.x) + heads.step;
    one.cos += heads.table_step;
    one.sin += heads.table_step;
  }
}

/// How heads are rotated: each with its own row of the table, sharing a row, and sharing a row when they come from memory.
struct Ways {
  RotateHeads *each, *shared, *from_memory;
};

/// If heads share the table, a slice of it stays in registers for all of them, which halves the loads. x that comes from
/// memory (job.streaming) is rotated page by page instead, since more would be too many streams; and before each page a
/// number is loaded from a page 16 KB further on. Processors load ahead within a page alone, and the first load from a
/// page waits for its address as well: that happens here while other heads are rotated. All work is in place. For another
/// destination a few heads are copied ahead, with the channels that do not rotate.
template <class Arch>
void rotate_in(const RotateJob& job, std::size_t element, const Ways& ways) noexcept {
  constexpr std::size_t heads_copied = 16, page = 4096, bytes_ahead = 16384;
  const auto bytes = [&](std::size_t i, std::ptrdiff_t step) {
    return static_cast<std::ptrdiff_t>(i * element) * step;
  };
  RotateHeads* rotate = job.table_inner == 0 && job.inner > 2 ? ways.shared : ways.each;
  std::size_t block = job.x == job.y ? job.inner : heads_copied;
  std::size_t row_ahead = job.outer, head_ahead = 0;
  if (job.streaming) {
    const std::size_t head_bytes = job.head_dim * element, heads_ahead = bytes_ahead / head_bytes + 1;
    block = (page - 1) / head_bytes + 1;
    row_ahead = heads_ahead / job.inner, head_ahead = heads_ahead % job.inner;
    if (rotate == ways.shared) rotate = ways.from_memory;
  }
  const auto* x = static_cast<const char*>(job.x);
  auto* y = static_cast<char*>(job.y);
  Heads heads{nullptr, job.y_inner, 0, nullptr, nullptr, job.table_inner, job.pairs};
  for (std::size_t outer = 0; outer < job.outer; ++outer) {
    for (std::size_t first = 0; first < job.inner; first += block) {
      heads.count = job.inner - first < block ? job.inner - first : block;
      if (row_ahead < job.outer) {
        const std::ptrdiff_t to = bytes(row_ahead, job.x_outer) + bytes(head_ahead, job.x_inner);
        static_cast<void>(static_cast<const volatile char*>(job.x)[to]);
        head_ahead += heads.count;
        if (head_ahead >= job.inner) head_ahead -= job.inner, ++row_ahead;
      }
      if (job.x != job.y) {
        for (std::size_t i = first; i < first + heads.count; ++i) {
          std::memcpy(y + bytes(i, job.y_inner), x + bytes(i, job.x_inner), job.head_dim * element);
        }
      }
      heads.x = y + bytes(first, job.y_inner) + bytes(1, static_cast<std::ptrdiff_t>(job.offset));
      const auto outer_row = static_cast<std::ptrdiff_t>(outer) * job.table_outer;
      const auto row = outer_row + static_cast<std::ptrdiff_t>(first) * job.table_inner;
      heads.cos = job.cos + row;
      heads.sin = job.sin + row;
      rotate(heads);
    }
    x += bytes(1, job.x_outer);
    y += bytes(1, job.y_outer);
  }
}

template <class Arch, class Pairs>
void rotate_float32(const RotateJob& job) noexcept {
  constexpr bool interleaved = std::is_same_v<Pairs, InterleavedPairs>;
  using Turns = std::conditional_t<interleaved, TurnInterleaved<Arch>, Turn<Arch, Float32, Pairs>>;
  // A slice is a cache line of each stream that it touches.
  constexpr int line = static_cast<int>(16 / Floats<Arch>::size);
  constexpr int batches = interleaved && line > 1 ? line / 2 : line;
  constexpr RotateHeads* each = &rotate_each<Arch, Float32, Pairs, line>;
  constexpr RotateHeads* shared = &rotate_shared<Arch, Pairs, Turns, batches>;
  // Half a cache line of each head at a time, which is all that such short vectors leave room for, is too little from memory.
  constexpr RotateHeads* from_memory = interleaved && line == 4 ? each : shared;
  rotate_in<Arch>(job, sizeof(float), {each, shared, from_memory});
}

template <class Arch, class Format, class Pairs>
void rotate_by_words(const RotateJob& job) noexcept {
  constexpr RotateHeads* shared = &rotate_words<Arch, Format, Pairs>;
  rotate_in<Arch>(job, sizeof(std::uint16_t), {&rotate_alone<std::uint16_t, shared>, shared, shared});
}

/// Beside the processor's own conversions the loads of the table are nothing.
template <class Arch, class Pairs>
void rotate_float16(const RotateJob& job) noexcept {
  if constexpr (NativeFloat16<Arch>::exists) {
    constexpr RotateHeads* each = &rotate_each<Arch, Float16, Pairs, 1>;
    rotate_in<Arch>(job, sizeof(std::uint16_t), {each, each, each});
  } else {
    rotate_by_words<Arch, Float16Words, Pairs>(job);
  }
}

template <class Arch>
constexpr RotateKernels make_rotate() {
  return {{{&rotate_float32<Arch, InterleavedPairs>, &rotate_float32<Arch, HalfPairs>},
           {&rotate_float16<Arch, InterleavedPairs>, &rotate_float16<Arch, HalfPairs>},
           {&rotate_by_words<Arch, BFloat16Words, InterleavedPairs>,
            &rotate_by_words<Arch, BFloat16Words, HalfPairs>}}};
}

}  // namespace ropewalk::kernels
