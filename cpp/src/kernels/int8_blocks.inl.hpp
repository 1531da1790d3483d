#pragma once

// Matrix product of 8-bit integers with a scale for each block of 32 columns.
//
// A panel holds as many rows of W as int8.inl.hpp's, and its blocks one behind the other. A block begins with the rows'
// integers, word of columns by word of columns: the words of all rows, row by row, so that one vector has a word of each
// of its rows and the instruction that adds a word's products sums every row in its own lane. (Words here have neighbouring
// columns. Pairs are widened from bytes when they are loaded.) Behind them stand the block's scales, one for each row. So a
// weight is read as one stream, and lanes, which are rows, are never added to each other.

#include "kernels/int8.inl.hpp"
#include "kernels/int8_blocks.hpp"

namespace ropewalk::kernels {

/// Words in a block of a row.
template <class Form>
inline constexpr std::size_t block_words = scale_block / Form::columns;
/// Bytes of a block of a panel.
template <class Arch>
inline constexpr std::size_t block_bytes = gemm_panel<Arch> * (scale_block + sizeof(float));

/// Start of block b of row n in `packed`, with the first of its words.
template <class Arch>
constexpr std::size_t block_place(std::size_t n, std::size_t b, std::size_t blocks) {
  return (n / gemm_panel<Arch> * blocks + b) * block_bytes<Arch>;
}
/// Offset of column k from the start of its block.
template <class Form>
constexpr std::size_t column_place(std::size_t n, std::size_t k) {
  constexpr std::size_t panel = gemm_panel<typename Form::Arch>, columns = Form::columns;
  return k / columns * columns * panel + n % panel * columns + k % columns;
}
/// The scale of row n in that block.
template <class Arch, class Byte>
inline auto* scale_at(Byte* block, std::size_t n) {
  using Float = std::conditional_t<std::is_const_v<Byte>, const float, float>;
  return reinterpret_cast<Float*>(block + gemm_panel<Arch> * scale_block) + n % gemm_panel<Arch>;
}

template <class Form>
[[gnu::cold]] void pack_blocks(const PackBlocksJob& job) noexcept {
  using Arch = typename Form::Arch;
  const std::size_t blocks = scale_blocks(job.k);
  for (std::size_t i = 0; i < job.count; ++i) {
    const std::size_t n = job.first + i;
    for (std::size_t b = 0; b < blocks; ++b) {
      const float* const w = job.w + i * job.k + b * scale_block;
      const std::size_t count = job.k - b * scale_block < scale_block ? job.k - b * scale_block : scale_block;
      float largest = 0.0F, poison = 0.0F;
      for (std::size_t k = 0; k < count; ++k) {
        largest = __builtin_fabsf(w[k]) > largest ? __builtin_fabsf(w[k]) : largest;
        poison += w[k] * 0.0F;
      }
      const float scale = job.whole ? 1.0F : largest / block_largest_weight + poison;
      // Below the smallest normal number the reciprocal is not finite, and the block is nothing.
      const float factor = scale >= 1.17549435e-38F ? 1.0F / scale : 0.0F;
      std::int8_t* const block = job.packed + block_place<Arch>(n, b, blocks);
      *scale_at<Arch>(block, n) = scale;
      for (std::size_t k = 0; k < count; ++k) {
        const float whole = factor == 0.0F ? 0.0F : __builtin_nearbyintf(w[k] * factor);
        block[column_place<Form>(n, k)] = static_cast<std::int8_t>(whole);
      }
    }
  }
}

template <class Form>
[[gnu::cold]] void unpack_blocks(const UnpackBlocksJob& job) noexcept {
  using Arch = typename Form::Arch;
  const std::size_t blocks = scale_blocks(job.k);
  for (std::size_t k = 0; k < job.k; ++k) {
    const std::int8_t* const block = job.packed + block_place<Arch>(job.n, k / scale_block, blocks);
    job.row[k] =
        static_cast<float>(block[column_place<Form>(job.n, k % scale_block)]) * *scale_at<Arch>(block, job.n);
  }
}

template <class Arch>
[[gnu::cold]] void scale_blocks_of(const ScaleBlocksJob& job) noexcept {
  const std::size_t blocks = scale_blocks(job.k);
  for (std::size_t b = 0; b < blocks; ++b)
    *scale_at<Arch>(job.packed + block_place<Arch>(job.n, b, blocks), job.n) *= job.factor;
}

/// Row x (K) in words, block by block and `stride` from word to word, and the scale of each block: what times the integers
/// is the row again. NaN where an element is not finite.
template <class Form>
[[gnu::noinline]] void int8_blocks_row(const float* x, std::size_t k, std::int32_t* words, std::size_t stride,
                                       float* scales) noexcept {
  alignas(64) float values[scale_block];
  for (std::size_t at = 0; at < k; at += scale_block, ++scales) {
    const std::size_t count = k - at < scale_block ? k - at : scale_block;
    for (std::size_t i = 0; i < scale_block; ++i) values[i] = i < count ? x[at + i] : 0.0F;
    float largest = 0.0F, poison = 0.0F;
    for (std::size_t i = 0; i < scale_block; ++i) {
      largest = __builtin_fabsf(values[i]) > largest ? __builtin_fabsf(values[i]) : largest;
      poison += values[i] * 0.0F;
    }
    const float scale = largest / block_largest_activation + poison;
    const float factor = scale >= 1.17549435e-38F ? 1.0F / scale : 0.0F;
    *scales = scale;
    constexpr std::uint32_t width = 32 / Form::columns, mask = (std::uint32_t{1} << width) - 1;
    for (std::size_t i = 0; i < scale_block; i += Form::columns, words += stride) {
      std::uint32_t word = 0;
      for (std::size_t part = 0; part < Form::columns; ++part) {
        // After the addition of 1.5 * 2^23 the low bits of the mantissa hold the integer.
        const auto bits = __builtin_bit_cast(std::uint32_t, values[i + part] * factor + 12582912.0F);
        word |= ((bits + Form::offset) & mask) << part * width;
      }
      *words = static_cast<std::int32_t>(word);
    }
  }
}

struct BlocksTile {
  const std::int32_t* a;        // the first word of each row, then the second, ...
  const float* scales;          // of the first row, then of the second, ...
  const std::int8_t* b;         // a panel
  const std::int32_t* offsets;  // (blocks, panel): where the sums of Quads start; one row computes it itself
  std::size_t blocks;
  float* sums;  // (Rows, panel), 64-byte aligned
};

template <class Form, std::size_t Rows>
ROPEWALK_SUMS_STAY [[gnu::noinline]] void blocks_tile(const BlocksTile& job) noexcept {
  using I = Ints<typename Form::Arch>;
  using F = Floats<typename Form::Arch>;
  constexpr std::size_t size = F::size, panel = 2 * size, step = Form::columns * size;
  for (std::size_t i = 0; i < Rows * panel; i += size) F(0.0F).store_aligned(job.sums + i);
  const std::int32_t* a = job.a;
  const std::int8_t* b = job.b;
  // As in gemm_tile: several steps between branches only where few values are alive.
  constexpr std::size_t unroll = Rows == 1 ? 4 : Form::columns / 2;
  for (std::size_t block = 0; block < job.blocks; ++block) {
    I sum[Rows][2], offset[2] = {I(0), I(0)};
    unrolled<2>([&](auto v) __attribute__((always_inline)) {
      const bool is_known = Form::offset != 0 && Rows > 1;
      const I start = is_known ? I::load_unaligned(job.offsets + block * panel + v * size) : I(0);
      unrolled<Rows>([&](auto r) __attribute__((always_inline)) { sum[r][v] = start; });
    });
    for (std::size_t k = block_words<Form> / unroll; k > 0; --k) {
      for (std::size_t u = 0; u < unroll; ++u) {
        const I first = Form::of_blocks(b + 2 * u * step), second = Form::of_blocks(b + (2 * u + 1) * step);
        unrolled<Rows>([&](auto r) __attribute__((always_inline)) {
          const I word(a[u * Rows + r]);
          sum[r][0] = Form::add(word, first, sum[r][0]);
          sum[r][1] = Form::add(word, second, sum[r][1]);
        });
        if constexpr (Form::offset != 0 && Rows == 1) {
          offset[0] = Form::times_offset(first, offset[0]);
          offset[1] = Form::times_offset(second, offset[1]);
        }
      }
      a += unroll * Rows;
      b += unroll * 2 * step;
    }
    const float* const weights = reinterpret_cast<const float*>(b);
    const F first = F::load_aligned(weights), second = F::load_aligned(weights + size);
    unrolled<Rows>([&](auto r) __attribute__((always_inline)) {
      if constexpr (Form::offset != 0 && Rows == 1) {
        unrolled<2>([&](auto v) __attribute__((always_inline)) { sum[r][v] = sum[r][v] - offset[v]; });
      }
      const F scale(job.scales[r * job.blocks + block]);
      float* const out = job.sums + r * panel;
      (F::load_aligned(out) + xsimd::to_float(sum[r][0]) * (first * scale)).store_aligned(out);
      (F::load_aligned(out + size) + xsimd::to_float(sum[r][1]) * (second * scale)).store_aligned(out + size);
    });
    b += panel * sizeof(float);
  }
}

/// -64 times the sum of each row's bytes in each block of a panel, (blocks, panel).
template <class Form>
[[gnu::noinline]] void blocks_offsets(const std::int8_t* b, std::size_t blocks,
                                      std::int32_t* offsets) noexcept {
  using I = Ints<typename Form::Arch>;
  constexpr std::size_t size = I::size, step = Form::columns * size;
  for (; blocks > 0; --blocks, b += block_bytes<typename Form::Arch>, offsets += 2 * size) {
    for (std::size_t v = 0; v < 2; ++v) {
      I sum(0);
      for (std::size_t k = 0; k < block_words<Form>; ++k)
        sum = Form::times_offset(Form::of_blocks(b + (2 * k + v) * step), sum);
      (I(0) - sum).store_unaligned(offsets + v * size);
    }
  }
}

template <class Form>
void gemm_blocks(const BlocksJob& job) noexcept {
  using Arch = typename Form::Arch;
  constexpr std::size_t panel = gemm_panel<Arch>, most = GemmTile<Arch>::rows;
  const std::size_t blocks = scale_blocks(job.k), words = blocks * block_words<Form>;
  // Behind the words come scales, and what Quads take off: the scratch is that of Pairs, which have twice as many words.
  float* const scales = reinterpret_cast<float*>(job.rows + blocks_rows * words);
  std::int32_t* const offsets = job.rows + blocks_rows * (words + blocks);
  static_assert(Form::offset == 0 ||
                blocks_rows * (block_words<Form> + 1) + panel <= blocks_scratch(scale_block));
  alignas(64) float sums[most * panel];
  for (std::size_t top = 0; top < job.m; top += blocks_rows) {
    const std::size_t rows = job.m - top < blocks_rows ? job.m - top : blocks_rows;
    static_assert(blocks_rows % most == 0);
    for (std::size_t r = 0; r < rows; ++r) {
      // Rows that are left over are multiplied one by one.
      const std::size_t first = r / most * most;
      const bool whole = first + most <= rows;
      int8_blocks_row<Form>(job.a + (top + r) * job.k, job.k,
                            job.rows + (whole ? first * words + r - first : r * words), whole ? most : 1,
                            scales + r * blocks);
    }
    for (std::size_t n = 0; n < job.n; n += panel) {
      const std::size_t columns = job.n - n < panel ? job.n - n : panel;
      const std::int8_t* const b = job.packed + block_place<Arch>(n, 0, blocks);
      if constexpr (Form::offset != 0) {
        if (rows >= most) blocks_offsets<Form>(b, blocks, offsets);
      }
      for (std::size_t first = 0, count; first < rows; first += count) {
        count = first + most <= rows ? most : 1;
        const BlocksTile tile{job.rows + first * words, scales + first * blocks, b, offsets, blocks, sums};
        if (count == 1) {
          blocks_tile<Form, 1>(tile);
        } else {
          blocks_tile<Form, most>(tile);
        }
        for (std::size_t r = 0; r < count; ++r) {
          float* const c = job.c + (top + first + r) * job.c_row + n;
          const float* const out = sums + r * panel;
          for (std::size_t j = 0; j < columns; ++j)
            c[j] = job.bias == nullptr ? out[j] : out[j] + job.bias[n + j];
        }
      }
    }
  }
}

template <class Form>
constexpr BlocksKernels make_blocks() {
  return {pack_blocks<Form>, unpack_blocks<Form>, scale_blocks_of<typename Form::Arch>, gemm_blocks<Form>};
}

}  // namespace ropewalk::kernels
