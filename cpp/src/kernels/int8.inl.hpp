#pragma once

// Matrix product of 8-bit integers by the instruction that multiplies pairs of 16 bits and adds the two
// products: twice the multiplications of a float32 vector, and a quarter of the memory.
//
// A word of 32 bits holds a pair: of a block of 32 columns, word j has column j below and column 16 + j
// above, so that turning float32 into pairs takes shifts of whole vectors and no shuffle. The sums are exact,
// hence the same on every architecture.

#include <utility>

#include "kernels/gemm.inl.hpp"
#include "kernels/int8.hpp"

namespace ropewalk::kernels {

/// Row x (K) in pairs, and its scale: what times the integers is the row again. NaN where an element is not
/// finite.
template <class Arch>
[[gnu::noinline]] float int8_row(const float* x, std::size_t k, std::int32_t* pairs) noexcept {
  using F = Floats<Arch>;
  auto largest = Block<Arch>::broadcast(0.0F), poison = largest;
  sweep<Arch>(k, [&](std::size_t i, auto count) {
    const auto value = load<Arch>(x + i, count);
    largest = largest.map(value, [](F a, F b) { return xsimd::select(a < xsimd::abs(b), xsimd::abs(b), a); });
    poison = muladd(value, Block<Arch>::broadcast(0.0F), poison);
  });
  const float scale = largest.max() / 127.0F + poison.sum();
  const auto factor = Block<Arch>::broadcast(scale > 0.0F ? 1.0F / scale : 0.0F);
  // After the addition the low bits of the mantissa hold the integer; only the lower 16 are used.
  const auto magic = Block<Arch>::broadcast(12582912.0F);  // 1.5 * 2^23
  const auto whole = [&](std::size_t at) {
    const auto value =
        at + block <= k ? load<Arch>(x + at, Whole()) : load<Arch>(x + at, at < k ? k - at : 0);
    return value * factor + magic;
  };
  for (std::size_t at = 0; at < k; at += int8_block) {
    const auto low = whole(at), high = whole(at + block);
    for (std::size_t i = 0; i < Block<Arch>::batches; ++i) {
      const auto bits = [](F value) { return xsimd::bitwise_cast<std::int32_t>(value); };
      const Ints<Arch> pair = (bits(low.of[i]) & Ints<Arch>(0xFFFF)) | (bits(high.of[i]) << 16);
      pair.store_unaligned(pairs + at / 2 + i * Ints<Arch>::size);
    }
  }
  return scale;
}

/// Panels as those of gemm. A word of a panel's row holds four bytes, those of two rows of W: byte 0 and 2
/// the pair of the first vector's, byte 1 and 3 that of the second's, which shifts of 16 bits take apart. Calls
/// visit(column of W, place in `packed`) for row n.
template <class Arch, class Visit>
void for_each_of_int8_row(std::size_t n, std::size_t columns, Visit visit) noexcept {
  constexpr std::size_t size = Floats<Arch>::size, panel = gemm_panel<Arch>;
  static_assert(GemmTile<Arch>::vectors == 2);
  const std::size_t words = int8_columns(columns) / 2, column = n % panel;
  std::size_t place = n / panel * panel * words * 2 + (column % size) * 4 + column / size;
  for (std::size_t word = 0; word < words; ++word, place += size * 4) {
    const std::size_t low = word / block * int8_block + word % block;
    if (low < columns) visit(low, place);
    if (low + block < columns) visit(low + block, place + 2);
  }
}

template <class Arch>
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
    for_each_of_int8_row<Arch>(job.first + i, job.k, [&](std::size_t k, std::size_t place) {
      job.packed[place] = static_cast<std::int8_t>(__builtin_nearbyintf(row[k] * factor));
    });
  }
}

template <class Arch>
void unpack_int8(const UnpackInt8Job& job) noexcept {
  const float scale = job.scale[job.n];
  for_each_of_int8_row<Arch>(job.n, job.k, [&](std::size_t k, std::size_t place) {
    job.row[k] = static_cast<float>(job.packed[place]) * scale;
  });
}

struct Int8Tile {
  const std::int32_t* a;
  std::size_t a_row;
  const std::int8_t* b;
  std::size_t words;
  std::int32_t* sums;  // (Rows, panel)
};

template <class Arch, std::size_t Rows>
[[gnu::noinline]] void int8_tile(const Int8Tile& job) noexcept {
  using I = Ints<Arch>;
  using H = xsimd::batch<std::int16_t, Arch>;
  I sum[Rows][2];
  for (std::size_t r = 0; r < Rows; ++r) sum[r][0] = sum[r][1] = I(0);
  const std::int32_t* a[Rows];
  for (std::size_t r = 0; r < Rows; ++r) a[r] = job.a + r * job.a_row;
  const std::int8_t* b = job.b;
  // As in gemm_tile: no more than one step between branches.
  for (std::size_t k = job.words; k > 0; --k) {
    const H both = H::load_aligned(reinterpret_cast<const std::int16_t*>(b));
    const I first = xsimd::bitwise_cast<std::int32_t>(H(both << 8) >> 8);
    const I second = xsimd::bitwise_cast<std::int32_t>(both >> 8);
    for (std::size_t r = 0; r < Rows; ++r) {
      const I pair(*a[r]++);
      sum[r][0] = Pairs16<Arch>::add(pair, first, sum[r][0]);
      sum[r][1] = Pairs16<Arch>::add(pair, second, sum[r][1]);
    }
    b += 4 * I::size;
  }
  for (std::size_t r = 0; r < Rows; ++r) {
    for (std::size_t v = 0; v < 2; ++v) sum[r][v].store_aligned(job.sums + (2 * r + v) * I::size);
  }
}

/// Called through a table, for the reason given at TileTable.
using Int8Tiles = void(const Int8Tile&) noexcept;
template <class Arch, std::size_t... Rows>
struct Int8TileTable {
  static constexpr Int8Tiles* of[] = {int8_tile<Arch, Rows + 1>...};
};
template <class Arch, std::size_t... Rows>
constexpr Int8TileTable<Arch, Rows...> int8_tile_table(std::index_sequence<Rows...>) {
  return {};
}

template <class Arch>
void gemm_int8(const Int8Job& job) noexcept {
  using F = Floats<Arch>;
  constexpr std::size_t panel = gemm_panel<Arch>, most = GemmTile<Arch>::rows;
  constexpr auto table = int8_tile_table<Arch>(std::make_index_sequence<most>());
  const std::size_t words = int8_columns(job.k) / 2;
  alignas(64) std::int32_t sums[most * panel];
  float scales[int8_rows];
  for (std::size_t top = 0; top < job.m; top += int8_rows) {
    const std::size_t rows = job.m - top < int8_rows ? job.m - top : int8_rows;
    for (std::size_t r = 0; r < rows; ++r) {
      scales[r] = int8_row<Arch>(job.a + (top + r) * job.k, job.k, job.rows + r * words);
    }
    for (std::size_t n = 0; n < job.n; n += panel) {
      const std::size_t columns = job.n - n < panel ? job.n - n : panel;
      for (std::size_t first = 0; first < rows; first += most) {
        const std::size_t count = rows - first < most ? rows - first : most;
        table.of[count - 1]({job.rows + first * words, words, job.packed + n * words * 2, words, sums});
        for (std::size_t r = 0; r < count; ++r) {
          float* c = job.c + (top + first + r) * job.n + n;
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

}  // namespace ropewalk::kernels
