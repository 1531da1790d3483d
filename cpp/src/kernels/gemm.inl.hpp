#pragma once

// Matrix product on packed panels, after Goto and van de Geijn (2008): a tile of C stays in registers while k
// runs, a panel of B stays in the first-level cache while the rows of A pass.

#include <utility>

#include "kernels/dense.hpp"
#include "kernels/lanes.inl.hpp"

namespace ropewalk::kernels {

template <class Arch>
inline constexpr std::size_t gemm_panel = GemmTile<Arch>::vectors * Floats<Arch>::size;

/// A panel of `columns` columns from b on, padded with zeros.
template <class Arch>
inline void pack_panel(const PackJob& job, const float* b, std::size_t columns, float* out) noexcept {
  using F = Floats<Arch>;
  constexpr std::size_t panel = gemm_panel<Arch>, size = F::size;
  std::size_t k = 0;
  if (columns == panel && job.n_stride == 1) {
    for (; k < job.k; ++k, b += job.k_stride) {
      for (std::size_t j = 0; j < panel; j += size)
        F::load_unaligned(b + j).store_aligned(out + k * panel + j);
    }
    return;
  }
  if (job.n_stride == 1) {
    for (; k < job.k; ++k, b += job.k_stride, out += panel) {
      for (std::size_t j = 0; j < columns; ++j) out[j] = b[j];
      for (std::size_t j = columns; j < panel; ++j) out[j] = 0.0F;
    }
    return;
  }
  if (job.k_stride == 1) {  // a weight: transposed square by square
    for (; k + size <= job.k; k += size) {
      for (std::size_t j = 0; j < panel; j += size) {
        F square[size];
        for (std::size_t i = 0; i < size; ++i) {
          const float* from = b + static_cast<std::ptrdiff_t>(j + i) * job.n_stride + k;
          square[i] = j + i < columns ? F::load_unaligned(from) : F(0.0F);
        }
        xsimd::transpose(square, square + size);
        for (std::size_t i = 0; i < size; ++i) square[i].store_aligned(out + (k + i) * panel + j);
      }
    }
  }
  for (std::size_t j = 0; j < panel; ++j, b += job.n_stride) {
    for (std::size_t i = k; i < job.k; ++i) {
      out[i * panel + j] = j < columns ? b[static_cast<std::ptrdiff_t>(i) * job.k_stride] : 0.0F;
    }
  }
}

template <class Arch>
void pack(const PackJob& job) noexcept {
  constexpr std::size_t panel = gemm_panel<Arch>;
  for (std::size_t n = 0; n < job.n; n += panel) {
    const std::size_t columns = job.n - n < panel ? job.n - n : panel;
    pack_panel<Arch>(job, job.b + static_cast<std::ptrdiff_t>(n) * job.n_stride, columns,
                     job.packed + n * job.k);
  }
}

/// The operands of a tile; `c` holds whole panels.
struct TileJob {
  const float* a;
  std::ptrdiff_t a_row, a_k;
  const float* b;
  std::size_t b_panel;  // elements from a panel to the next
  std::size_t k;
  float* c;
  std::ptrdiff_t c_row;
  const float* bias;
  bool from_c;
};

/// Rows x (Panels panels) of C. Transposed: A is contiguous along its rows and not along k.
template <class Arch, std::size_t Rows, std::size_t Panels, bool Transposed>
[[gnu::noinline]] void gemm_tile(const TileJob& job) noexcept {
  using F = Floats<Arch>;
  constexpr std::size_t vectors = GemmTile<Arch>::vectors, width = Panels * vectors, size = F::size;
  F sum[Rows][width];
  unrolled<Rows>([&](auto r) __attribute__((always_inline)) {
    const float* c = job.c + static_cast<std::ptrdiff_t>(r) * job.c_row;
    unrolled<width>([&](auto v) __attribute__((always_inline)) {
      sum[r][v] = job.bias == nullptr ? F(0.0F) : F::load_unaligned(job.bias + v * size);
      if (job.from_c) sum[r][v] = sum[r][v] + F::load_unaligned(c + v * size);
    });
  });
  // A transposed has a tile's column side by side, so that one pointer does; otherwise each row has its own.
  constexpr std::size_t pointers = Transposed ? 1 : Rows;
  const float* a[pointers];
  for (std::size_t r = 0; r < pointers; ++r) a[r] = job.a + static_cast<std::ptrdiff_t>(r) * job.a_row;
  const float* b = job.b;
  const std::ptrdiff_t a_k = Transposed ? job.a_k : 1;
  const auto step = [&](const float* from, std::size_t k) __attribute__((always_inline)) {
    F row[width];
    unrolled<Panels>([&](auto p) __attribute__((always_inline)) {
      unrolled<vectors>([&](auto v) __attribute__((always_inline)) {
        row[p * vectors + v] = F::load_aligned(from + (k * vectors + v) * size);
      });
      from += job.b_panel;
    });
    unrolled<Rows>([&](auto r) __attribute__((always_inline)) {
      const F element(Transposed ? a[0][r] : a[Transposed ? 0 : r()][k]);
      unrolled<width>([&](auto v) __attribute__((always_inline)) {
        sum[r][v] = muladd<Arch>(element, row[v], sum[r][v]);
      });
    });
    if (Transposed) a[0] += a_k;
  };
  // Every step ends in a branch, the last of which is the end of the remainder as well. Without them LLVM and
  // Binaryen would finish one sum over all unrolled steps before they begin the next, with all their operands
  // alive, and V8 would spill those: 0.8 of the speed.
  constexpr std::size_t unroll = Panels == 1 ? 2 : 1;
  for (std::size_t k = job.k; k > 0; --k) {
    step(b, 0);
    if constexpr (unroll == 2) {
      if (--k == 0) break;
      step(b, 1);
    }
    if constexpr (!Transposed) unrolled<Rows>([&](auto r) __attribute__((always_inline)) { a[r] += unroll; });
    b += unroll * vectors * size;
  }
  unrolled<Rows>([&](auto r) __attribute__((always_inline)) {
    float* c = job.c + static_cast<std::ptrdiff_t>(r) * job.c_row;
    unrolled<width>([&](auto v) __attribute__((always_inline)) { sum[r][v].store_unaligned(c + v * size); });
  });
}

/// Copies the start values of a tile whose panel lacks columns of C, with zeros for those columns.
template <class Arch>
[[gnu::noinline]] void pad_tile(const TileJob& job, std::size_t rows, std::size_t columns,
                                float* copy) noexcept {
  const float* c = job.c;
  for (std::size_t r = 0; r < rows; ++r, c += job.c_row, copy += gemm_panel<Arch>) {
    for (std::size_t j = 0; j < columns; ++j) {
      const float start = job.bias == nullptr ? 0.0F : job.bias[j];
      copy[j] = job.from_c ? start + c[j] : start;
    }
    for (std::size_t j = columns; j < gemm_panel<Arch>; ++j) copy[j] = 0.0F;
  }
}
template <class Arch>
[[gnu::noinline]] void unpad_tile(const TileJob& job, std::size_t rows, std::size_t columns,
                                  const float* copy) noexcept {
  float* c = job.c;
  for (std::size_t r = 0; r < rows; ++r, c += job.c_row, copy += gemm_panel<Arch>) {
    for (std::size_t j = 0; j < columns; ++j) c[j] = copy[j];
  }
}

/// tile_of[transposed][rows] for one panel, and at [0] the one row of several panels. Called through the
/// table, not by name: Binaryen would inline what has one caller whatever the attributes say, and in one
/// large function V8 runs out of registers.
using Tile = void(const TileJob&) noexcept;

template <class Arch, std::size_t... Rows>
struct TileTable {
  static constexpr Tile* of[2][sizeof...(Rows) + 1] = {
      {gemm_tile<Arch, 1, GemmTile<Arch>::single_row_panels, false>, gemm_tile<Arch, Rows + 1, 1, false>...},
      {gemm_tile<Arch, 1, GemmTile<Arch>::single_row_panels, true>, gemm_tile<Arch, Rows + 1, 1, true>...}};
};
template <class Arch, std::size_t... Rows>
constexpr TileTable<Arch, Rows...> tile_table(std::index_sequence<Rows...>) {
  return {};
}

/// One panel, of which C has `columns` columns: less than all is the same arithmetic on a padded copy.
template <class Arch>
inline void gemm_panel_tile(Tile* tile, const TileJob& job, std::size_t rows, std::size_t columns) noexcept {
  if (columns == gemm_panel<Arch>) {
    tile(job);
    return;
  }
  alignas(64) float copy[GemmTile<Arch>::rows * gemm_panel<Arch>];
  TileJob whole = job;
  whole.from_c = job.from_c || job.bias != nullptr;
  if (whole.from_c) pad_tile<Arch>(job, rows, columns, copy);
  whole.c = copy;
  whole.c_row = gemm_panel<Arch>;
  whole.bias = nullptr;
  tile(whole);
  unpad_tile<Arch>(job, rows, columns, copy);
}

/// An empty sum still has its bias.
template <class Arch>
[[gnu::noinline]] void gemm_empty(const GemmJob& job) noexcept {
  float* c = job.c;
  for (std::size_t m = 0; m < job.m; ++m, c += job.c_row) {
    for (std::size_t n = 0; n < job.n; ++n) {
      const float start = job.bias == nullptr ? 0.0F : job.bias[n];
      c[n] = job.accumulate ? start + c[n] : start;
    }
  }
}

template <class Arch>
void gemm(const GemmJob& job) noexcept {
  using Sizes = GemmTile<Arch>;
  constexpr auto table = tile_table<Arch>(std::make_index_sequence<Sizes::rows>());
  constexpr std::size_t panel = gemm_panel<Arch>, wide = Sizes::single_row_panels * panel;
  if (job.k == 0) return gemm_empty<Arch>(job);
  Tile* const* const tile_of = table.of[job.a_k == 1 ? 0 : 1];
  const std::size_t b_k = job.b_k == 0 ? job.k : job.b_k;
  const std::size_t blocks = (job.k + Sizes::depth - 1) / Sizes::depth;
  const std::size_t depth = (job.k + blocks - 1) / blocks;
  for (std::size_t k = 0; k < job.k; k += depth) {
    TileJob tile{};
    tile.a_row = job.a_row;
    tile.a_k = job.a_k;
    tile.b_panel = panel * b_k;
    tile.k = job.k - k < depth ? job.k - k : depth;
    tile.c_row = job.c_row;
    tile.from_c = job.accumulate || k > 0;
    for (std::size_t top = 0; top < job.m; top += Sizes::block_rows) {
      const std::size_t bottom = job.m - top < Sizes::block_rows ? job.m : top + Sizes::block_rows;
      for (std::size_t n = 0; n < job.n;) {
        const std::size_t left = job.n - n;
        tile.b = job.b + n * b_k + k * panel;
        tile.bias = job.bias == nullptr || k > 0 ? nullptr : job.bias + n;
        // One row has no reuse of B: more panels at once give more independent chains.
        const bool single = bottom - top == 1 && left >= wide;
        for (std::size_t m = top; m < bottom;) {
          const std::size_t rows = bottom - m < Sizes::rows ? bottom - m : Sizes::rows;
          tile.a =
              job.a + static_cast<std::ptrdiff_t>(m) * job.a_row + static_cast<std::ptrdiff_t>(k) * job.a_k;
          tile.c = job.c + static_cast<std::ptrdiff_t>(m) * job.c_row + n;
          gemm_panel_tile<Arch>(tile_of[single ? 0 : rows], tile, rows, left < panel ? left : panel);
          m += rows;
        }
        n += single ? wide : panel;
      }
    }
  }
}

}  // namespace ropewalk::kernels
