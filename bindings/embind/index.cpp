// Vectors in 8 bits, in memory that JavaScript owns. Plain exports, since a large index is written row by row.

#include <cstddef>
#include <cstdint>

#include "export.hpp"
#include "index/codes.hpp"

extern "C" {

ROPEWALK_EXPORT(std::size_t, ropewalk_index_columns, std::size_t dimensions) {
  return ropewalk::index::columns_of(dimensions);
}

ROPEWALK_EXPORT(void, ropewalk_index_encode, const float* vector, std::size_t dimensions, std::int8_t* codes,
                ropewalk::index::RowFacts* facts) {
  *facts = ropewalk::index::encode({vector, dimensions}, codes);
}

ROPEWALK_EXPORT(void, ropewalk_index_scan, const float* query, std::size_t dimensions,
                const std::int8_t* codes, const ropewalk::index::RowFacts* facts, std::size_t rows,
                std::int16_t* words, std::int32_t* sums, float* lower, float* upper) {
  ropewalk::index::scan({query, dimensions}, codes, {facts, rows}, {words, sums}, {lower, upper});
}
}
