#pragma once

// The sum of a word's vector, times a factor, and a token type's.

#include <cstddef>
#include <cstdint>

#include "nn/compute.hpp"

namespace ropewalk::nn {

/// y (M,E) = scale * words[ids[m]] (V,E) + types[type_ids[m]] (types,E). `types` may be nullptr; `type_ids`
/// nullptr means type 0 everywhere. Ids are in range: the model checks them.
void embedding_forward(Compute compute, float* y, const std::int32_t* ids, const std::int32_t* type_ids,
                       const float* words, const float* types, float scale, std::size_t m, std::size_t e);

/// The rest of embedding_forward, once the words' vectors stand in y.
void embedding_finish(Compute compute, float* y, const std::int32_t* type_ids, const float* types,
                      float scale, std::size_t m, std::size_t e);

/// dwords (V,E) and dtypes (types,E, or nullptr) += the rows of dy (M,E) that were taken from them, words
/// times the factor.
void embedding_backward(Compute compute, float* dwords, float* dtypes, const float* dy,
                        const std::int32_t* ids, const std::int32_t* type_ids, float scale, std::size_t m,
                        std::size_t e);

}  // namespace ropewalk::nn
