#pragma once

#include "model/position_encoding/position_encoding.hpp"

namespace ropewalk::model::position_encoding {

/// T5 (arXiv 1910.10683, section 2.1), the bidirectional form: a learned number per bucket of distances and
/// head is added to the scores; all layers share it.
Result<std::unique_ptr<PositionEncoding>> make_t5(const Spec& spec);

inline constexpr std::size_t t5_buckets = 32;

/// The bucket of a key `relative` tokens after its query: 16 for keys at or before it, 16 for those after.
/// In each half, 8 buckets hold one distance each and 8 hold logarithmically more, the last one all distances from
/// 128 * 2^(-1/2) on.
std::size_t t5_bucket(std::ptrdiff_t relative);

}  // namespace ropewalk::model::position_encoding
