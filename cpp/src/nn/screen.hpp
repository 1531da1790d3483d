#pragma once

// The largest elements of a product W x without reading most rows of W, which are exactly those that the product has.
//
// A copy of W in 4 bits is read in full. With R the Hadamard rotation of kernels/int8.hpp, w' = R w = t (h - 7.5) + rest for
// each row w, and x' = R x = s a + left for the input as the product rounds it, w x is at most
//
//     t s (h - 7.5) a + |rest| |x'| + |t (h - 7.5)| |left|
//
// by Cauchy and Schwarz, over int8_rotated(K). The lengths of a row are stored, rounded up. To this come what rounding may
// add to the product, which is a chain of K / 32 float32 additions: a part of |w| |x|. Rows that may reach the best exact
// elements found so far are looked at again with a fifth bit, which halves |rest|, and those that still may are computed
// from W itself. So every row that is not computed is proven to be smaller.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "nn/linear.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk::nn {

class Screen {
 public:
  /// `weight` is in WeightForm::int8_blocks, and outlives this. Its rows are read by `pack`.
  Status make(Compute compute, const PackedWeight& weight);
  /// Copies so many more rows, and returns how many are left. Before none is, `largest` is false.
  std::size_t pack(std::size_t rows);
  /// Memory that make takes, in bytes.
  static std::uint64_t bytes_of(std::uint64_t n, std::uint64_t k);

  /// Elements of W x, with their rows ascending.
  struct Elements {
    std::vector<std::int32_t> rows;
    std::vector<float> values;
  };
  /// Elements among which are the `count` largest of x (K), all that equal the least of these, and those of the rows
  /// `also`. False where most of W would have to be read, or where numbers are so large that elements may not be finite:
  /// then nothing is known. For one thread at a time.
  bool largest(Compute compute, const float* x, std::size_t count, std::span<const std::int32_t> also,
               Elements& elements);

 private:
  /// The steps of largest, in their order. The first gives near_, each element up to its bound, by the copy in 4 bits.
  void read_copy(Compute compute, float scale);
  /// The rows whose near_ is largest.
  std::vector<std::int32_t> best_looking(std::size_t count) const;
  /// Puts the element of a row into exact_, and those of the rest of its panel, unless they are there.
  void multiply(const float* x, std::int32_t row);
  /// Fills sums_.
  void sum_signs();
  /// Factors of the lengths of a row in its bound.
  struct Bounds {
    float scale;
    float by_rest, by_length;
  };
  Bounds bounds_of(const kernels::ScreenQuery& query) const;
  /// No element is larger than these.
  float most_by_four_bits(std::size_t row, const Bounds& bounds) const;
  float most_by_five_bits(std::size_t row, const Bounds& bounds) const;

  const PackedWeight* weight_ = nullptr;
  kernels::ScreenKernels kernels_ = {};
  kernels::ScreenKernel near_of_ = nullptr;
  std::size_t panel_ = 0;
  std::size_t packed_rows_ = 0;
  bool finite_ = false;
  double longest_ = 0;  // of the rows
  Buffer<std::uint32_t> packed_;
  Buffer<std::uint8_t> signs_;
  Buffer<float> step_, length_, rest_, finer_step_, finer_rest_;  // (N), as in kernels::ScreenRow
  Buffer<float> near_, exact_;                                    // (N)
  Buffer<std::uint8_t> computed_;                                 // (panels)
  Buffer<float> row_;                                             // (K), of the weight
  Buffer<float> floats_;                                          // (2, columns)
  Buffer<std::int8_t> a_;                                         // (columns)
  Buffer<std::int32_t> words_;
  Buffer<std::int16_t> sums_;  // (words, 256): of eight columns with the signs of each byte
};

}  // namespace ropewalk::nn
