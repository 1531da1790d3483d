#pragma once

// The interface of the screen of a weight (N,K) in blocks of 8 bits: a copy of its rotated rows in 4 bits and one more, which
// tells each element of a product up to a bound. nn/screen.hpp says what it is for, and why the bound holds.

#include <cstddef>
#include <cstdint>

#include "kernels/int8.hpp"

namespace ropewalk::kernels {

/// Words of 32 bits in a row, with eight columns each: bits 4 j to 4 j + 3 of word w are column 8 w + j.
constexpr std::size_t screen_words(std::size_t k) { return int8_columns(k) / 8; }

/// With r the rotated row, as int8_rotated has it, h whole numbers from 0 to 15, t a step and u the mean of |r - t (h - 7.5)|:
/// what every column is known to be from four bits, t (h - 7.5), and from the fifth, that and u with the sign of the rest.
/// Lengths are at least the true ones, and everything is divided by int8_rotated(K), which is what a product of rotated
/// numbers is too large by.
struct ScreenRow {
  float step;        // t / 2
  float length;      // |t (h - 7.5)|
  float rest;        // |r - t (h - 7.5)|
  float finer_step;  // u
  float finer_rest;  // the length of what the fifth bit leaves; not finite where the row is not
};

struct PackScreenJob {
  const float* row;  // (K), as it is multiplied
  std::size_t n, k;
  std::uint32_t* packed;  // panels as those of the weight: in each, word by word, the words of all rows
  std::uint8_t* signs;  // (N, screen_words(K)): bit j of byte w is 1 if column 8 w + j leaves a positive rest
  float* scratch;       // 64-byte aligned, 2 int8_columns(K) elements
  ScreenRow* result;
};

/// An input as the weight multiplies it, which is rounded in blocks, rotated and rounded again to `scale` times whole numbers
/// from -127 to 127.
struct ScreenQuery {
  float scale;
  float length;  // of the rotated input, at least
  float rest;    // of what the second rounding leaves, at least
};

struct QueryScreenJob {
  const float* x;  // (K)
  std::size_t k;
  std::int8_t* a;  // (8 screen_words(K))
  float* scratch;  // 64-byte aligned, 2 int8_columns(K) elements
  ScreenQuery* result;
};

/// near[n] = (the sum over k of (2 h - 15) a) * (step[n] * scale), of the rows of whole panels.
struct ScreenJob {
  const std::uint32_t* packed;
  const float* step;      // (N)
  const std::int8_t* a;   // as in QueryScreenJob
  std::int32_t* scratch;  // 4 screen_words(K) elements
  float* near;            // (N)
  std::size_t n, k;
  float scale;
};

/// The product belongs to the kernels whose panels the copy has; the others are the same for all that round twice.
using ScreenKernel = void (*)(const ScreenJob&) noexcept;
struct ScreenKernels {
  void (*pack)(const PackScreenJob&) noexcept;
  void (*query)(const QueryScreenJob&) noexcept;
};

}  // namespace ropewalk::kernels
