#include "index/codes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "arch/select.hpp"

namespace ropewalk::index {
namespace {

constexpr double largest_code = 127;
/// Roundings of float32 between here and the caller.
constexpr double slack = 1e-6;

struct Size {
  double length, largest, sum;
};

Size size_of(std::span<const float> vector) {
  double squares = 0, largest = 0, sum = 0;
  for (const float value : vector) {
    const double size = std::abs(static_cast<double>(value));
    squares += size * size;
    largest = std::max(largest, size);
    sum += size;
  }
  return {std::sqrt(squares), largest, sum};
}

/// Whole numbers near `factor` times the vector, and the length of what is missing, of the vector divided by its length.
template <class Whole>
double rounded(std::span<const float> vector, double length, double factor, Whole* out) {
  double missing = 0;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    const double value = static_cast<double>(vector[i]) / length;
    const double whole = std::nearbyint(value * factor);
    out[i] = static_cast<Whole>(whole);
    missing += (value - whole / factor) * (value - whole / factor);
  }
  return std::sqrt(missing);
}

}  // namespace

std::size_t columns_of(std::size_t dimensions) {
  constexpr std::size_t step = kernels::scan_columns;
  return (dimensions + step - 1) / step * step;
}

RowFacts encode(std::span<const float> vector, std::int8_t* codes) {
  std::fill_n(codes, columns_of(vector.size()), std::int8_t{0});
  const Size size = size_of(vector);
  if (size.length == 0) return {0, 0};
  const double scale = size.largest / size.length / largest_code;
  const double error = rounded(vector, size.length, 1 / scale, codes);
  return {static_cast<float>(scale), static_cast<float>(error)};
}

void scan(std::span<const float> query, const std::int8_t* codes, std::span<const RowFacts> facts,
          const ScanMemory& memory, const Bounds& bounds) {
  const std::size_t columns = columns_of(query.size());
  std::fill_n(memory.query, columns, std::int16_t{0});
  const Size size = size_of(query);
  double factor = 1, error = 0;
  if (size.length > 0) {
    // As many bits as 16 hold, and as leave every sum of products below 2^31.
    const double most =
        std::numeric_limits<std::int32_t>::max() / largest_code - static_cast<double>(query.size());
    factor = std::min(std::numeric_limits<std::int16_t>::max() / size.largest, most / size.sum) * size.length;
    error = rounded(query, size.length, factor, memory.query);
  }
  arch::active()->scan.sums({memory.query, codes, facts.size(), columns, memory.sums});
  for (std::size_t r = 0; r < facts.size(); ++r) {
    const double cosine = static_cast<double>(memory.sums[r]) * static_cast<double>(facts[r].scale) / factor;
    const double row_error = static_cast<double>(facts[r].error);
    const double reach = row_error + error * (1 + row_error) + slack;
    bounds.lower[r] = static_cast<float>(cosine - reach);
    bounds.upper[r] = static_cast<float>(cosine + reach);
  }
}

}  // namespace ropewalk::index
