#include "model/position_encoding/orthogonal_features.hpp"

#include <cmath>

#include "base/buffer.hpp"
#include "base/random.hpp"

namespace ropewalk::model::position_encoding {
namespace {

double dot(const double* a, const double* b, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/// Takes from `row` what it shares with the unit rows before it, and returns the length of the rest.
double orthogonalise(double* row, const double* before, std::size_t count, std::size_t width) {
  // Twice is enough: the second pass removes what rounding left of the first.
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t i = 0; i < count; ++i) {
      const double shared = dot(row, before + i * width, width);
      for (std::size_t c = 0; c < width; ++c) row[c] -= shared * before[i * width + c];
    }
  }
  return std::sqrt(dot(row, row, width));
}

}  // namespace

Status fill_orthogonal_features(std::span<float> features, std::size_t rows, std::size_t width,
                                std::uint64_t seed) {
  Random random(seed);
  Buffer<double> block, length;  // (D,D), (D)
  for (Status status : {block.allocate(width * width, "roformer: random features"),
                        length.allocate(width, "roformer: random features")}) {
    if (!status.ok()) return status;
  }
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t in_block = r % width;
    double* const row = block.data() + in_block * width;
    double left = 0;
    // A draw that lies among the rows before it has no direction of its own.
    while (left < 1e-6) {
      for (std::size_t c = 0; c < width; ++c) row[c] = random.normal();
      left = orthogonalise(row, block.data(), in_block, width);
    }
    for (std::size_t c = 0; c < width; ++c) row[c] /= left;
    for (double& each : length.span()) each = random.normal();
    const double norm = std::sqrt(dot(length.data(), length.data(), width));
    for (std::size_t c = 0; c < width; ++c) features[r * width + c] = static_cast<float>(norm * row[c]);
  }
  return {};
}

}  // namespace ropewalk::model::position_encoding
