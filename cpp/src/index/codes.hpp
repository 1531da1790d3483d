#pragma once

// Vectors in 8 bits, and bounds on their cosines with a query: enough to leave out nearly all of them before the exact
// products.

#include <cstddef>
#include <cstdint>
#include <span>

namespace ropewalk::index {

/// Codes of a row: the dimensions, rounded up to whole vectors of the kernels.
std::size_t columns_of(std::size_t dimensions);

/// A row is u = scale * codes + e, where u is the vector divided by its length and |e| is the error.
struct RowFacts {
  float scale;
  float error;
};

/// Writes columns_of(vector.size()) codes from -127 to 127, zeros behind the vector's. A vector of zeros has codes of 0.
RowFacts encode(std::span<const float> vector, std::int8_t* codes);

/// Memory that a scan works in.
struct ScanMemory {
  std::int16_t* query;  // [columns], 64-byte aligned
  std::int32_t* sums;   // [rows]
};

/// The cosine of `query` with each row lies from lower[r] to upper[r], [rows] each.
struct Bounds {
  float* lower;
  float* upper;
};

/// `codes` are [rows, columns_of(query.size())], 64-byte aligned, and there is one of `facts` for each row.
void scan(std::span<const float> query, const std::int8_t* codes, std::span<const RowFacts> facts,
          const ScanMemory& memory, const Bounds& bounds);

}  // namespace ropewalk::index
