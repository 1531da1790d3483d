#pragma once

// Matrix product on packed panels, after Goto and van de Geijn (2008): a tile of C stays in registers while k
// runs, a panel of B stays in the first-level cache while the rows of A pass.

#include "kernels/dense.hpp"
#include "kernels/lanes.inl.hpp"

namespace ropewalk::kernels {

/// The tile per architecture. It has to fit the registers together with the row of B and one element of A.
template <class Arch>
struct GemmTile {  // 16 registers of 4: in WASM, V8 spills from about the 13th live value on
  static constexpr std::size_t rows = 4, vectors = 2, single_row_panels = 4, depth = 512, block_rows = 128;
};
template <>
struct GemmTile<xsimd::fma3<xsimd::avx2>> {  // 16 registers of 8
  static constexpr std::size_t rows = 6, vectors = 2, single_row_panels = 4, depth = 384, block_rows = 120;
};
template <>
struct GemmTile<xsimd::avx512bw> {  // 32 registers of 16
  static constexpr std::size_t rows = 12, vectors = 2, single_row_panels = 4, depth = 256, block_rows = 120;
};

template <class Arch>
inline constexpr std::size_t gemm_panel = GemmTile<Arch>::vectors* Floats<Arch>::size;

template <class Arch>
void pack(const PackJob& job) noexcept {
  constexpr std::size_t panel = gemm_panel<Arch>;
  float* out = job.packed;
  for (std::size_t n = 0; n < job.n; n += panel, out += panel * job.k) {
    const std::size_t columns = job.n - n < panel ? job.n - n : panel;
    const float* b = job.b + static_cast<std::ptrdiff_t>(n) * job.n_stride;
    if (job.n_stride == 1) {
      for (std::size_t k = 0; k < job.k; ++k, b += job.k_stride) {
        for (std::size_t j = 0; j < columns; ++j) out[k * panel + j] = b[j];
        for (std::size_t j = columns; j < panel; ++j) out[k * panel + j] = 0.0F;
      }
      continue;
    }
    // Sixteen columns at a time write whole cache lines while each source row is read forwards.
    for (std::size_t k = 0; k < job.k; ++k) {
      const float* from = b + static_cast<std::ptrdiff_t>(k) * job.k_stride;
      for (std::size_t j = 0; j < columns; ++j) {
        out[k * panel + j] = from[static_cast<std::ptrdiff_t>(j) * job.n_stride];
      }
      for (std::size_t j = columns; j < panel; ++j) out[k * panel + j] = 0.0F;
    }
  }
}

/// What a tile needs; `c` holds whole panels.
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

/// Rows x (Panels panels) of C. UnitK: A is contiguous along k, so that the addresses are constants.
template <class Arch, std::size_t Rows, std::size_t Panels, bool UnitK>
inline void gemm_tile(const TileJob& job) noexcept {
  using F = Floats<Arch>;
  constexpr std::size_t vectors = GemmTile<Arch>::vectors, width = Panels * vectors, size = F::size;
  F sum[Rows][width];
  for (std::size_t r = 0; r < Rows; ++r) {
    const float* c = job.c + static_cast<std::ptrdiff_t>(r) * job.c_row;
    for (std::size_t v = 0; v < width; ++v) {
      sum[r][v] = job.bias == nullptr ? F(0.0F) : F::load_unaligned(job.bias + v * size);
      if (job.from_c) sum[r][v] = sum[r][v] + F::load_unaligned(c + v * size);
    }
  }
  const float* a = job.a;
  const float* b = job.b;
  const std::ptrdiff_t a_row = job.a_row, a_k = UnitK ? 1 : job.a_k;
  const std::size_t b_panel = Panels == 1 ? 0 : job.b_panel;
  const auto step = [&](std::ptrdiff_t k) {
    F row[width];
    for (std::size_t v = 0; v < width; ++v) {
      row[v] = F::load_aligned(b + v / vectors * b_panel + v % vectors * size +
                               static_cast<std::size_t>(k) * vectors * size);
    }
    for (std::size_t r = 0; r < Rows; ++r) {
      const F element(a[static_cast<std::ptrdiff_t>(r) * a_row + k * a_k]);
      for (std::size_t v = 0; v < width; ++v) sum[r][v] = muladd<Arch>(element, row[v], sum[r][v]);
    }
  };
  std::size_t k = job.k;
  for (; k >= 4; k -= 4, a += 4 * a_k, b += 4 * vectors * size) {
    step(0);
    step(1);
    step(2);
    step(3);
  }
  for (; k > 0; --k, a += a_k, b += vectors * size) step(0);
  for (std::size_t r = 0; r < Rows; ++r) {
    float* c = job.c + static_cast<std::ptrdiff_t>(r) * job.c_row;
    for (std::size_t v = 0; v < width; ++v) sum[r][v].store_unaligned(c + v * size);
  }
}

/// A tile whose last panel lacks columns of C: the same arithmetic on a padded copy.
template <class Arch, std::size_t Rows, std::size_t Panels, bool UnitK>
inline void gemm_tile_partial(const TileJob& job, std::size_t columns) noexcept {
  constexpr std::size_t width = Panels * gemm_panel<Arch>;
  alignas(64) float copy[Rows * width];
  for (std::size_t r = 0; r < Rows; ++r) {
    const float* c = job.c + static_cast<std::ptrdiff_t>(r) * job.c_row;
    for (std::size_t j = 0; j < width; ++j) {
      float start = j < columns && job.bias != nullptr ? job.bias[j] : 0.0F;
      if (j < columns && job.from_c) start += c[j];
      copy[r * width + j] = start;
    }
  }
  TileJob whole = job;
  whole.c = copy;
  whole.c_row = width;
  whole.bias = nullptr;
  whole.from_c = true;
  gemm_tile<Arch, Rows, Panels, UnitK>(whole);
  for (std::size_t r = 0; r < Rows; ++r) {
    float* c = job.c + static_cast<std::ptrdiff_t>(r) * job.c_row;
    for (std::size_t j = 0; j < columns; ++j) c[j] = copy[r * width + j];
  }
}

/// The last rows, fewer than a tile has.
template <class Arch, std::size_t Rows, bool UnitK>
inline void gemm_rows(std::size_t rows, const TileJob& job, std::size_t columns) noexcept {
  if constexpr (Rows > 0) {
    if (rows < Rows) return gemm_rows<Arch, Rows - 1, UnitK>(rows, job, columns);
    if (columns == gemm_panel<Arch>) {
      gemm_tile<Arch, Rows, 1, UnitK>(job);
    } else {
      gemm_tile_partial<Arch, Rows, 1, UnitK>(job, columns);
    }
  }
}

template <class Arch, bool UnitK>
void gemm_strided(const GemmJob& job) noexcept {
  using Tile = GemmTile<Arch>;
  constexpr std::size_t panel = gemm_panel<Arch>, wide = Tile::single_row_panels;
  if (job.k == 0) {  // an empty sum still has its bias
    TileJob empty{job.a, 0, 0, job.b, 0, 0, job.c, job.c_row, nullptr, job.accumulate};
    for (std::size_t m = 0; m < job.m; ++m, empty.c += job.c_row) {
      for (std::size_t n = 0; n < job.n; ++n) {
        const float start = job.bias == nullptr ? 0.0F : job.bias[n];
        empty.c[n] = job.accumulate ? start + empty.c[n] : start;
      }
    }
    return;
  }
  const std::size_t blocks = (job.k + Tile::depth - 1) / Tile::depth;
  const std::size_t depth = (job.k + blocks - 1) / blocks;
  for (std::size_t k = 0; k < job.k; k += depth) {
    TileJob tile{};
    tile.a_row = job.a_row;
    tile.a_k = job.a_k;
    tile.b_panel = panel * job.k;
    tile.k = job.k - k < depth ? job.k - k : depth;
    tile.c_row = job.c_row;
    tile.from_c = job.accumulate || k > 0;
    const auto place = [&](std::size_t m, std::size_t n) {
      tile.a = job.a + static_cast<std::ptrdiff_t>(m) * job.a_row + static_cast<std::ptrdiff_t>(k) * job.a_k;
      tile.b = job.b + n * job.k + k * panel;
      tile.c = job.c + static_cast<std::ptrdiff_t>(m) * job.c_row + n;
      tile.bias = job.bias == nullptr || k > 0 ? nullptr : job.bias + n;
    };
    for (std::size_t top = 0; top < job.m; top += Tile::block_rows) {
      const std::size_t bottom = job.m - top < Tile::block_rows ? job.m : top + Tile::block_rows;
      std::size_t n = 0;
      if (bottom - top == 1) {  // one row has no reuse of B: more panels at once give more independent chains
        for (; n + wide * panel <= job.n; n += wide * panel) {
          place(top, n);
          gemm_tile<Arch, 1, wide, UnitK>(tile);
        }
      }
      for (; n < job.n; n += panel) {
        const std::size_t columns = job.n - n < panel ? job.n - n : panel;
        std::size_t m = top;
        for (; m + Tile::rows <= bottom; m += Tile::rows) {
          place(m, n);
          if (columns == panel) {
            gemm_tile<Arch, Tile::rows, 1, UnitK>(tile);
          } else {
            gemm_tile_partial<Arch, Tile::rows, 1, UnitK>(tile, columns);
          }
        }
        if (m < bottom) {
          place(m, n);
          gemm_rows<Arch, Tile::rows - 1, UnitK>(bottom - m, tile, columns);
        }
      }
    }
  }
}

template <class Arch>
void gemm(const GemmJob& job) noexcept {
  if (job.a_k == 1) {
    gemm_strided<Arch, true>(job);
  } else {
    gemm_strided<Arch, false>(job);
  }
}

}  // namespace ropewalk::kernels
