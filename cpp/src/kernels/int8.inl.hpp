#pragma once

// Matrix product of 8-bit integers. The sums are exact, hence the same on every architecture and in both forms below,
// which differ in the instruction that multiplies.
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
  /// Added to packed weights of 7 bits, and to activations of 7 bits, so that they are not negative.
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
  static I add_rows(I a, I w, I sum) noexcept { return Pairs16<Arch>::add(a, w, sum); }

  static I of_blocks(const std::int8_t* b) noexcept { return Pairs16<Arch>::widen(b); }
  static I add_blocks(I a, I w, I sum) noexcept { return Pairs16<Arch>::add(a, w, sum); }
};

/// `static Ints<Arch> add(Ints<Arch> a, Ints<Arch> b, Ints<Arch> sum)`: sum + the products of the four bytes of each lane,
/// those of `a` signed and those of `b` from 0 to 127.
template <class Arch>
struct Dot4;

/// Four columns in a word, by the dot product of bytes. It takes one side of 7 bits without a sign: 64 more than the
/// number, so that 64 times the sum of the other side is taken off again.
template <class A>
struct Quads {
  using Arch = A;
  using I = Ints<Arch>;
  static constexpr std::size_t columns = 4, size = I::size;
  static_assert(int8_block / columns % size == 0, "a block's words are whole vectors");
  static constexpr int offset = 64;

  static constexpr std::size_t place(std::size_t row, std::size_t part) { return row * 4 + part; }
  struct Weights {
    I first, second;
  };
  static Weights of_rows(const std::int8_t* b) noexcept { return {of_blocks(b), of_blocks(b + 4 * size)}; }
  static I add_rows(I a, I w, I sum) noexcept { return Dot4<Arch>::add(a, w, sum); }

  static I of_blocks(const std::int8_t* b) noexcept {
    return I::load_aligned(reinterpret_cast<const std::int32_t*>(b));
  }
  static I add_blocks(I a, I w, I sum) noexcept { return Dot4<Arch>::add(w, a, sum); }
  /// `sum` - 64 times the sum of a word's signed bytes is `sum` - times_offset.
  static I times_offset(I bytes, I sum) noexcept { return Dot4<Arch>::add(bytes, I(0x40404040), sum); }
};

/// Words of a row of A, and behind them where Quads keep what starts the row's sums.
template <class Form>
constexpr std::size_t row_words(std::size_t k) {
  return int8_columns(k) / Form::columns + (Form::offset == 0 ? 0 : 1);
}

/// Row x (K) in words, and its scale: what times the integers is the row again. NaN where an element is not finite.
template <class Form>
[[gnu::noinline]] float int8_row(const float* x, std::size_t k, std::int32_t* words) noexcept {
  using Arch = typename Form::Arch;
  using F = Floats<Arch>;
  using I = Ints<Arch>;
  auto largest = Block<Arch>::broadcast(0.0F), poison = largest;
  sweep<Arch>(k, [&](std::size_t i, auto count) {
    const auto value = load<Arch>(x + i, count);
    largest = largest.map(value, [](F a, F b) { return xsimd::select(a < xsimd::abs(b), xsimd::abs(b), a); });
    poison = muladd(value, Block<Arch>::broadcast(0.0F), poison);
  });
  const float scale = largest.max() / 127.0F + poison.sum();
  const auto factor = Block<Arch>::broadcast(scale > 0.0F ? 1.0F / scale : 0.0F);
  // After the addition the low bits of the mantissa hold the integer; only the lowest are used.
  const auto magic = Block<Arch>::broadcast(12582912.0F);  // 1.5 * 2^23
  const auto whole = [&](std::size_t at) {
    const auto value =
        at + block <= k ? load<Arch>(x + at, Whole()) : load<Arch>(x + at, at < k ? k - at : 0);
    return value * factor + magic;
  };
  constexpr std::size_t batches = Block<Arch>::batches, width = 32 / Form::columns;
  // Vectors of words that a block of columns has, and as many vectors of floats for each of a word's columns.
  constexpr std::size_t vectors = 2 * batches / Form::columns;
  I sum(0);
  for (std::size_t at = 0; at < k; at += int8_block) {
    const Block<Arch> halves[] = {whole(at), whole(at + block)};
    const auto bits = [&](std::size_t i) {
      return xsimd::bitwise_cast<std::int32_t>(halves[i / batches].of[i % batches]);
    };
    for (std::size_t i = 0; i < vectors; ++i) {
      I word = bits((Form::columns - 1) * vectors + i) << static_cast<int>(32 - width);
      for (std::size_t part = 0; part + 1 < Form::columns; ++part) {
        const I low = bits(part * vectors + i) & I((1 << width) - 1);
        word = word | (part == 0 ? low : low << static_cast<int>(part * width));
      }
      word.store_unaligned(words + at / Form::columns + i * I::size);
      if constexpr (Form::offset != 0) sum = Form::times_offset(word, sum);
    }
  }
  if constexpr (Form::offset != 0) {
    alignas(64) std::int32_t lanes[I::size];
    sum.store_aligned(lanes);
    std::int32_t start = 0;
    for (std::int32_t lane : lanes) start -= lane;
    words[row_words<Form>(k) - 1] = start;
  }
  return scale;
}

/// Panels as those of gemm, each of which holds its rows' words one behind the other. Calls visit(column of W, place in
/// `packed`) for row n.
template <class Form, class Visit>
void for_each_of_int8_row(std::size_t n, std::size_t k, Visit visit) noexcept {
  using Arch = typename Form::Arch;
  constexpr std::size_t panel = gemm_panel<Arch>, words = int8_block / Form::columns;
  static_assert(GemmTile<Arch>::vectors == 2);
  const std::size_t start = n / panel * panel * int8_columns(k);
  for (std::size_t at = 0; at < int8_columns(k); at += int8_block) {
    for (std::size_t word = 0; word < words; ++word) {
      for (std::size_t part = 0; part < Form::columns; ++part) {
        const std::size_t column = at + part * words + word;
        const std::size_t place = (at / Form::columns + word) * panel * Form::columns;
        if (column < k) visit(column, start + place + Form::place(n % panel, part));
      }
    }
  }
}

template <class Form>
void pack_int8(const PackInt8Job& job) noexcept {
  for (std::size_t i = 0; i < job.count; ++i) {
    const float* const row = job.w + i * job.k;
    float largest = 0.0F, poison = 0.0F;
    for (std::size_t k = 0; k < job.k; ++k) {
      largest = __builtin_fabsf(row[k]) > largest ? __builtin_fabsf(row[k]) : largest;
      poison += row[k] * 0.0F;
    }
    const float scale = largest / int8_largest_weight + poison;
    const float factor = scale > 0.0F ? 1.0F / scale : 0.0F;
    job.scale[job.first + i] = scale;
    for_each_of_int8_row<Form>(job.first + i, job.k, [&](std::size_t k, std::size_t place) {
      job.packed[place] = static_cast<std::int8_t>(__builtin_nearbyintf(row[k] * factor) + Form::offset);
    });
  }
}

template <class Form>
void unpack_int8(const UnpackInt8Job& job) noexcept {
  const float scale = job.scale[job.n];
  for_each_of_int8_row<Form>(job.n, job.k, [&](std::size_t k, std::size_t place) {
    job.row[k] = static_cast<float>(job.packed[place] - Form::offset) * scale;
  });
}

struct Int8Tile {
  const std::int32_t* a;
  std::size_t a_row;
  const std::int8_t* b;
  std::size_t words;
  std::int32_t* sums;  // (Rows, panel)
};

template <class Form, std::size_t Rows>
[[gnu::noinline]] void int8_tile(const Int8Tile& job) noexcept {
  using I = Ints<typename Form::Arch>;
  I sum[Rows][2];
  const std::int32_t* a[Rows];
  for (std::size_t r = 0; r < Rows; ++r) {
    a[r] = job.a + r * job.a_row;
    sum[r][0] = sum[r][1] = I(Form::offset == 0 ? 0 : a[r][job.words]);
  }
  const std::int8_t* b = job.b;
  // As in gemm_tile: no more than one step between branches.
  for (std::size_t k = job.words; k > 0; --k) {
    const auto [first, second] = Form::of_rows(b);
    for (std::size_t r = 0; r < Rows; ++r) {
      const I word(*a[r]++);
      sum[r][0] = Form::add_rows(word, first, sum[r][0]);
      sum[r][1] = Form::add_rows(word, second, sum[r][1]);
    }
    b += 2 * Form::columns * I::size;
  }
  for (std::size_t r = 0; r < Rows; ++r) {
    for (std::size_t v = 0; v < 2; ++v) sum[r][v].store_aligned(job.sums + (2 * r + v) * I::size);
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
  if constexpr (Form::offset == 0) {
    constexpr auto table = int8_tile_table<Form>(std::make_index_sequence<most>());
    table.of[rows - 1](job);
  } else {
    // Quads stand in a module that has no memory of its own for a table.
    static_assert(most == 4 || most == 8);
    if (rows == most) return int8_tile<Form, most>(job);
    Int8Tile one = job;
    for (std::size_t r = 0; r < rows; ++r) {
      int8_tile<Form, 1>(one);
      one.a += job.a_row;
      one.sums += gemm_panel<typename Form::Arch>;
    }
  }
}

template <class Form>
void gemm_int8(const Int8Job& job) noexcept {
  using Arch = typename Form::Arch;
  using F = Floats<Arch>;
  constexpr std::size_t panel = gemm_panel<Arch>, most = GemmTile<Arch>::rows;
  const std::size_t words = int8_columns(job.k) / Form::columns, a_row = row_words<Form>(job.k);
  alignas(64) std::int32_t sums[most * panel];
  float scales[int8_rows];
  for (std::size_t top = 0; top < job.m; top += int8_rows) {
    const std::size_t rows = job.m - top < int8_rows ? job.m - top : int8_rows;
    for (std::size_t r = 0; r < rows; ++r) {
      scales[r] = int8_row<Form>(job.a + (top + r) * job.k, job.k, job.rows + r * a_row);
    }
    for (std::size_t n = 0; n < job.n; n += panel) {
      const std::size_t columns = job.n - n < panel ? job.n - n : panel;
      for (std::size_t first = 0; first < rows; first += most) {
        const std::size_t count = rows - first < most ? rows - first : most;
        call_int8_tile<Form>(
            count, {job.rows + first * a_row, a_row, job.packed + n * int8_columns(job.k), words, sums});
        for (std::size_t r = 0; r < count; ++r) {
          float* c = job.c + (top + first + r) * job.c_row + n;
          const F scale(scales[first + r]);
          alignas(64) float out[panel];
          for (std::size_t v = 0; v < panel; v += F::size) {
            const F sum = xsimd::to_float(Ints<Arch>::load_aligned(sums + r * panel + v));
            (sum * (scale * F::load_unaligned(job.scale + n + v))).store_aligned(out + v);
          }
          for (std::size_t j = 0; j < columns; ++j)
            c[j] = job.bias == nullptr ? out[j] : out[j] + job.bias[n + j];
        }
      }
    }
  }
}

template <class Form>
constexpr RowsKernels make_rows() {
  return {pack_int8<Form>, unpack_int8<Form>, gemm_int8<Form>};
}

}  // namespace ropewalk::kernels
