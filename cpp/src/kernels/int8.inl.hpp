#pragma once

// Matrix product of 8-bit integers. The sums of a group of columns are exact, hence the same on every architecture and in both
// forms below, which differ in the instruction that multiplies. Groups are added in their order.
//
// A word of 32 bits holds the columns of one row that are multiplied at once: two of 16 bits, or four of 8. In a block of
// 32 columns, word j has column j lowest, and above it those a half, or a quarter, of the block further, so that turning
// float32 into words takes shifts of whole vectors and no shuffle.

#include <type_traits>
#include <utility>

#include "kernels/gemm.inl.hpp"
#include "kernels/int8.hpp"

namespace ropewalk::kernels {

/// Two columns in a word, by the instruction that multiplies pairs of 16 bits and adds the two products: twice the
/// multiplications of a float32 vector, and a quarter of the memory.
template <class A>
struct Pairs {
  using Arch = A;
  using I = Ints<Arch>;
  static constexpr std::size_t columns = 2, size = I::size;
  /// Added to activations, so that they are not negative.
  static constexpr int offset = 0;

  /// A word of a panel's row holds four bytes, those of two rows of W: byte 0 and 2 the pair of the first vector's, byte 1
  /// and 3 that of the second's, which shifts of 16 bits take apart. The place of a column from the start of its word,
  /// with `part` 0 or 1, in the panel's row `row`.
  static constexpr std::size_t place(std::size_t row, std::size_t part) {
    return row % size * 4 + row / size + 2 * part;
  }
  struct Weights {
    I first, second;
  };
  static Weights of_rows(const std::int8_t* b) noexcept {
    using H = xsimd::batch<std::int16_t, Arch>;
    const H both = H::load_aligned(reinterpret_cast<const std::int16_t*>(b));
    return {xsimd::bitwise_cast<std::int32_t>(H(both << 8) >> 8),
            xsimd::bitwise_cast<std::int32_t>(both >> 8)};
  }

  static I of_blocks(const std::int8_t* b) noexcept { return Pairs16<Arch>::widen(b); }
  static I add(I a, I w, I sum) noexcept { return Pairs16<Arch>::add(a, w, sum); }
};

/// Four columns in a word, by the dot product of bytes. It takes one side of 7 bits without a sign: 64 more than the
/// number, so that 64 times the sum of the other side is taken off again.
template <class A>
struct Quads {
  using Arch = A;
  using I = Ints<Arch>;
  static constexpr std::size_t columns = 4, size = I::size;
  static constexpr int offset = 64;

  static constexpr std::size_t place(std::size_t row, std::size_t part) { return row * 4 + part; }
  struct Weights {
    I first, second;
  };
  static Weights of_rows(const std::int8_t* b) noexcept { return {of_blocks(b), of_blocks(b + 4 * size)}; }

  static I of_blocks(const std::int8_t* b) noexcept {
    return I::load_aligned(reinterpret_cast<const std::int32_t*>(b));
  }
  static I add(I a, I w, I sum) noexcept { return Dot4<Arch>::add(w, a, sum); }
  /// `sum` - 64 times the sum of a word's signed bytes is `sum` - times_offset.
  static I times_offset(I bytes, I sum) noexcept { return Dot4<Arch>::add(bytes, I(0x40404040), sum); }
};

/// x[i] + x[i + H] and x[i] - x[i + H] in place of both, in each 2H of sixteen numbers.
template <class Arch, std::size_t H>
inline Block<Arch> butterflies(const Block<Arch>& x) noexcept {
  using F = Floats<Arch>;
  Block<Arch> y;
  if constexpr (H < F::size) {
    struct Other {
      static constexpr std::uint32_t get(std::uint32_t lane, std::uint32_t) { return lane ^ H; }
    };
    struct Sign {
      static constexpr std::uint32_t get(std::uint32_t lane, std::uint32_t) {
        return lane & H ? 0x80000000u : 0;
      }
    };
    const auto signs = xsimd::bitwise_cast<float>(
        Words<Arch>(xsimd::make_batch_constant<std::uint32_t, Sign, Arch>().as_batch()));
    for (std::size_t i = 0; i < Block<Arch>::batches; ++i)
      y.of[i] = xsimd::swizzle(x.of[i], xsimd::make_batch_constant<std::uint32_t, Other, Arch>()) +
                (x.of[i] ^ signs);
  } else {
    constexpr std::size_t half = H / F::size;
    for (std::size_t i = 0; i < Block<Arch>::batches; ++i)
      y.of[i] = i & half ? x.of[i - half] - x.of[i] : x.of[i] + x.of[i + half];
  }
  return y;
}

/// The same for H from `step` to N / 2 times that.
template <class Arch, std::size_t N>
inline void wide_butterflies(float* x, std::size_t count, std::size_t step) noexcept {
  using F = Floats<Arch>;
  for (std::size_t at = 0; at < count; at += N * step) {
    for (std::size_t v = at; v < at + step; v += F::size) {
      F y[N];
      for (std::size_t i = 0; i < N; ++i) y[i] = F::load_aligned(x + v + i * step);
      for (std::size_t h = 1; h < N; h *= 2) {
        for (std::size_t i = 0; i < N; ++i) {
          if (i & h) continue;
          const F sum = y[i] + y[i + h];
          y[i + h] = y[i] - y[i + h];
          y[i] = sum;
        }
      }
      for (std::size_t i = 0; i < N; ++i) y[i].store_aligned(x + v + i * step);
    }
  }
}

/// 1 or -1, times which column i is taken in blocks of more than 128.
template <class Arch>
inline float int8_sign(std::size_t i) noexcept {
  std::size_t pairs = i & (i >> 1) & 0x155;
  pairs ^= (pairs >> 8) ^ (pairs >> 4);
  return (pairs ^ (pairs >> 2)) & 1 ? -1.0F : 1.0F;
}

/// Row x (K), with zeros behind it, in blocks of `size` times a Hadamard matrix: y (int8_columns(K)), which may be x if K is
/// that. `flips`: each number first times its int8_sign.
template <class Arch>
[[gnu::noinline]] void rotate_int8(const float* x, std::size_t k, std::size_t size, bool flips,
                                   float* y) noexcept {
  const std::size_t columns = int8_columns(k);
  alignas(64) float signs[2][block];
  if (flips) {
    for (std::size_t i = 0; i < block; ++i) {
      signs[0][i] = int8_sign<Arch>(i);
      signs[1][i] = -signs[0][i];
    }
  }
  for (std::size_t at = 0; at < columns; at += block) {
    auto value = at + block <= k ? load<Arch>(x + at, Whole()) : load<Arch>(x + at, at < k ? k - at : 0);
    if (flips) value = value * load<Arch>(signs[int8_sign<Arch>(at) < 0 ? 1 : 0], Whole());
    store<Arch>(butterflies<Arch, 8>(butterflies<Arch, 4>(butterflies<Arch, 2>(butterflies<Arch, 1>(value)))),
                y + at, Whole());
  }
  for (std::size_t step = block; step < size;) {
    if (size / step >= 8) {
      wide_butterflies<Arch, 8>(y, columns, step);
      step *= 8;
    } else if (size / step == 4) {
      wide_butterflies<Arch, 4>(y, columns, step);
      break;
    } else {
      wide_butterflies<Arch, 2>(y, columns, step);
      break;
    }
  }
}

/// Row x (K) as it is rounded.
template <class Arch>
inline void rotate_int8(const float* x, std::size_t k, float* y) noexcept {
  const std::size_t size = int8_rotated(k);
  rotate_int8<Arch>(x, k, size, size > 128, y);
}

/// The number that is 1 of the integers, if that is `largest` at most; NaN where there are numbers that are not finite.
template <class Arch>
inline float int8_step(float most, float largest) noexcept {
  return most / largest + most * 0.0F;
}
/// Its reciprocal. Below the smallest normal number that is not finite, and the row is nothing.
template <class Arch>
inline float int8_factor(float step) noexcept {
  return step >= 1.17549435e-38F ? 1.0F / step : 0.0F;
}

/// After the addition the low bits of the mantissa hold the integer; only the lowest are used.
inline constexpr float int8_magic = 12582912.0F;  // 1.5 * 2^23

/// The largest absolute value of so many rotated columns, or NaN or infinity: as integers, their bits are larger.
template <class Arch>
inline float largest_of(const float* x, std::size_t columns) noexcept {
  Ints<Arch> found(0);
  for (std::size_t at = 0; at < columns; at += Floats<Arch>::size)
    found =
        xsimd::max(found, xsimd::bitwise_cast<std::int32_t>(xsimd::abs(Floats<Arch>::load_aligned(x + at))));
  alignas(64) std::int32_t lanes[Ints<Arch>::size];
  found.store_aligned(lanes);
  std::int32_t largest = 0;
  for (const std::int32_t lane : lanes) largest = lane > largest ? lane : largest;
  return __builtin_bit_cast(float, largest);
}

/// Row x (K) in words, and the scales of its groups: what times the integers is the rotated row again. `rotated` is scratch.
template <class Form>
[[gnu::noinline]] void int8_row(const float* x, std::size_t k, std::int32_t* words, float* scales,
                                float* rotated) noexcept {
  using Arch = typename Form::Arch;
  using I = Ints<Arch>;
  rotate_int8<Arch>(x, k, rotated);
  Block<Arch> factor;
  const auto magic = Block<Arch>::broadcast(int8_magic + static_cast<float>(Form::offset));
  constexpr std::size_t batches = Block<Arch>::batches, width = 32 / Form::columns;
  // Vectors of words that a block of columns has, and as many vectors of floats for each of a word's columns.
  constexpr std::size_t vectors = 2 * batches / Form::columns;
  const std::size_t all = int8_columns(k);
  for (std::size_t at = 0; at < all; at += int8_block) {
    if (at % int8_group == 0) {
      const std::size_t columns = all - at < int8_group ? all - at : int8_group;
      const float step = int8_step<Arch>(largest_of<Arch>(rotated + at, columns), int8_largest_activation);
      scales[at / int8_group] = step;
      factor = Block<Arch>::broadcast(int8_factor<Arch>(step));
    }
    const Block<Arch> halves[] = {load<Arch>(rotated + at, Whole()) * factor + magic,
                                  load<Arch>(rotated + at + block, Whole()) * factor + magic};
    const auto bits = [&](std::size_t i) {
      return xsimd::bitwise_cast<std::int32_t>(halves[i / batches].of[i % batches]);
    };
    if constexpr (vectors == 0) {
      // Vectors of sixteen hold two columns of eight words each: the first and second, the third and fourth.
      static_assert(batches == 1 && Form::columns == 4);
      const I pairs = (bits(0) & I(0xff)) | ((bits(1) & I(0xff)) << 16);
      alignas(64) std::int32_t lanes[I::size];
      pairs.store_aligned(lanes);
      for (std::size_t i = 0; i < I::size / 2; ++i)
        words[at / Form::columns + i] = lanes[i] | lanes[i + I::size / 2] << 8;
    }
    for (std::size_t i = 0; i < vectors; ++i) {
      I word = bits((Form::columns - 1) * vectors + i) << static_cast<int>(32 - width);
      for (std::size_t part = 0; part + 1 < Form::columns; ++part) {
        const I low = bits(part * vectors + i) & I((1 << width) - 1);
        word = word | (part == 0 ? low : low << static_cast<int>(part * width));
      }
      word.store_unaligned(words + at / Form::columns + i * I::size);
    }
  }
}

/// Panels as those of gemm, each of which holds its rows' words one behind the other, and then where the sums of their groups
/// start.
template <class Arch>
constexpr std::size_t int8_panel(std::size_t n, std::size_t k) {
  return n / gemm_panel<Arch> * gemm_panel<Arch> * int8_row_bytes(k);
}
/// The place of a column of row n in its panel.
template <class Form>
constexpr std::size_t int8_place(std::size_t n, std::size_t column) {
  constexpr std::size_t panel = gemm_panel<typename Form::Arch>, words = int8_block / Form::columns;
  static_assert(GemmTile<typename Form::Arch>::vectors == 2);
  const std::size_t word = column / int8_block * words + column % words;
  return word * panel * Form::columns + Form::place(n % panel, column % int8_block / words);
}

template <class Form>
[[gnu::cold]] void pack_int8(const PackInt8Job& job) noexcept {
  using Arch = typename Form::Arch;
  const std::size_t columns = int8_columns(job.k);
  for (std::size_t i = 0; i < job.count; ++i) {
    const std::size_t n = job.first + i;
    const float* rotated = job.w + i * columns;
    float step = 1.0F, factor = 1.0F;
    if (!job.whole) {
      rotate_int8<Arch>(job.w + i * job.k, job.k, job.scratch);
      step = int8_step<Arch>(largest_of<Arch>(job.scratch, columns), int8_largest_weight);
      factor = int8_factor<Arch>(step);
      step /= static_cast<float>(int8_rotated(job.k));
      rotated = job.scratch;
    }
    job.scale[n] = step;
    std::int8_t* const panel = job.packed + int8_panel<Arch>(n, job.k);
    auto* start = reinterpret_cast<std::int32_t*>(panel + gemm_panel<Arch> * columns) + n % gemm_panel<Arch>;
    std::int32_t sum = 0;
    for (std::size_t column = 0; column < columns; ++column) {
      const auto bits = __builtin_bit_cast(std::uint32_t, rotated[column] * factor + int8_magic);
      const auto whole = static_cast<std::int8_t>(bits & 0xff);
      panel[int8_place<Form>(n, column)] = whole;
      sum += whole;
      if ((column + 1) % int8_group != 0 && column + 1 < columns) continue;
      *start = -Form::offset * sum;
      start += gemm_panel<Arch>;
      sum = 0;
    }
  }
}

template <class Form>
[[gnu::cold]] void unpack_int8(const UnpackInt8Job& job) noexcept {
  using Arch = typename Form::Arch;
  const std::size_t columns = int8_columns(job.k), size = int8_rotated(job.k);
  const std::int8_t* const panel = job.packed + int8_panel<Arch>(job.n, job.k);
  const float scale = job.scale[job.n];
  for (std::size_t at = 0; at < columns; at += size) {
    alignas(64) float values[1024];
    for (std::size_t i = 0; i < size; ++i) values[i] = panel[int8_place<Form>(job.n, at + i)];
    rotate_int8<Arch>(values, size, size, false, values);
    for (std::size_t i = 0; i < size && at + i < job.k; ++i)
      job.row[at + i] = values[i] * (size > 128 ? int8_sign<Arch>(at + i) * scale : scale);
  }
}

struct Int8Tile {
  const std::int32_t* a;  // row by row
  const std::int8_t* b;   // a panel
  std::size_t words;      // of a row
  const float* scales;    // of the groups of the first row, then of the second, ...
  std::size_t groups;
  float* sums;  // (Rows, panel), 64-byte aligned
};

#ifndef __clang__
// Copying the heads of loops has GCC store the sums after every step, not after the last alone.
#define ROPEWALK_SUMS_STAY [[gnu::optimize("no-tree-ch")]]
#else
#define ROPEWALK_SUMS_STAY
#endif

template <class Form, std::size_t Rows>
ROPEWALK_SUMS_STAY [[gnu::noinline]] void int8_tile(const Int8Tile& job) noexcept {
  using F = Floats<typename Form::Arch>;
  using I = Ints<typename Form::Arch>;
  constexpr std::size_t size = I::size, panel = 2 * size, most = int8_group / Form::columns;
  for (std::size_t i = 0; i < Rows * panel; i += size) F(0.0F).store_aligned(job.sums + i);
  const std::int8_t* b = job.b;
  const auto* starts = reinterpret_cast<const std::int32_t*>(b + job.words * panel * Form::columns);
  for (std::size_t group = 0; group < job.groups; ++group) {
    I sum[Rows][2];
    const std::int32_t* a[Rows];
    unrolled<Rows>([&](auto r) __attribute__((always_inline)) {
      a[r] = job.a + r * job.words + group * most;
      unrolled<2>([&](auto v) __attribute__((always_inline)) {
        sum[r][v] = Form::offset == 0 ? I(0) : I::load_aligned(starts + v * size);
      });
    });
    starts += panel;
    const std::size_t left = job.words - group * most;
    // As in gemm_tile: no more than one step between branches.
    for (std::size_t k = left < most ? left : most; k > 0; --k) {
      // No structured binding: clang before version 16 lets no lambda capture one.
      const auto rows = Form::of_rows(b);
      unrolled<Rows>([&](auto r) __attribute__((always_inline)) {
        const I word(*a[r]++);
        sum[r][0] = Form::add(word, rows.first, sum[r][0]);
        sum[r][1] = Form::add(word, rows.second, sum[r][1]);
      });
      b += panel * Form::columns;
    }
    unrolled<Rows>([&](auto r) __attribute__((always_inline)) {
      const F scale(job.scales[r * job.groups + group]);
      unrolled<2>([&](auto v) __attribute__((always_inline)) {
        float* const place = job.sums + (2 * r + v) * size;
        (F::load_aligned(place) + xsimd::to_float(sum[r][v]) * scale).store_aligned(place);
      });
    });
  }
}

/// Called through a table, for the reason given at TileTable.
using Int8Tiles = void(const Int8Tile&) noexcept;
template <class Form, std::size_t... Rows>
struct Int8TileTable {
  static constexpr Int8Tiles* of[] = {int8_tile<Form, Rows + 1>...};
};
template <class Form, std::size_t... Rows>
constexpr Int8TileTable<Form, Rows...> int8_tile_table(std::index_sequence<Rows...>) {
  return {};
}
/// The tile of so many rows.
template <class Form>
inline void call_int8_tile(std::size_t rows, const Int8Tile& job) noexcept {
  constexpr std::size_t most = GemmTile<typename Form::Arch>::rows;
  if constexpr (!std::is_same_v<typename Form::Arch, xsimd::wasm> || Form::offset == 0) {
    constexpr auto table = int8_tile_table<Form>(std::make_index_sequence<most>());
    table.of[rows - 1](job);
  } else {
    // Quads of WebAssembly stand in a module that has no memory of its own for a table.
    if (rows == most) return int8_tile<Form, most>(job);
    Int8Tile one = job;
    for (std::size_t r = 0; r < rows; ++r) {
      int8_tile<Form, 1>(one);
      one.a += job.words;
      one.scales += job.groups;
      one.sums += gemm_panel<typename Form::Arch>;
    }
  }
}

template <class Form>
void gemm_int8(const Int8Job& job) noexcept {
  using Arch = typename Form::Arch;
  using F = Floats<Arch>;
  constexpr std::size_t panel = gemm_panel<Arch>, most = GemmTile<Arch>::rows;
  const std::size_t words = int8_columns(job.k) / Form::columns, groups = int8_groups(job.k);
  // Behind the words of Pairs, which are twice as many as those of Quads.
  float* const rotated = reinterpret_cast<float*>(job.rows + int8_rows * int8_columns(job.k) / 2);
  float* const scales = rotated + int8_columns(job.k);
  alignas(64) float sums[most * panel];
  for (std::size_t top = 0; top < job.m; top += int8_rows) {
    const std::size_t rows = job.m - top < int8_rows ? job.m - top : int8_rows;
    for (std::size_t r = 0; r < rows; ++r) {
      int8_row<Form>(job.a + (top + r) * job.k, job.k, job.rows + r * words, scales + r * groups, rotated);
    }
    for (std::size_t n = 0; n < job.n; n += panel) {
      const std::size_t columns = job.n - n < panel ? job.n - n : panel;
      for (std::size_t first = 0; first < rows; first += most) {
        const std::size_t count = rows - first < most ? rows - first : most;
        call_int8_tile<Form>(count, {.a = job.rows + first * words,
                                     .b = job.packed + n * int8_row_bytes(job.k),
                                     .words = words,
                                     .scales = scales + first * groups,
                                     .groups = groups,
                                     .sums = sums});
        for (std::size_t r = 0; r < count; ++r) {
          float* c = job.c + (top + first + r) * job.c_row + n;
          alignas(64) float out[panel];
          const bool whole = columns == panel;
          for (std::size_t v = 0; v < panel; v += F::size) {
            F value = F::load_aligned(sums + r * panel + v) * F::load_unaligned(job.scale + n + v);
            if (whole && job.bias != nullptr) value = value + F::load_unaligned(job.bias + n + v);
            value.store_unaligned((whole ? c : out) + v);
          }
          for (std::size_t j = 0; !whole && j < columns; ++j)
            c[j] = job.bias == nullptr ? out[j] : out[j] + job.bias[n + j];
        }
      }
    }
  }
}

/// The form of an architecture's products.
template <class Arch>
using Int8Form = std::conditional_t<Dot4<Arch>::exists, Quads<Arch>, Pairs<Arch>>;

template <class Form>
constexpr RowsKernels make_rows() {
  return {pack_int8<Form>, unpack_int8<Form>, gemm_int8<Form>};
}

}  // namespace ropewalk::kernels
