#pragma once

#include "model/position_encoding/position_encoding.hpp"

namespace ropewalk::model::position_encoding {

/// `attention` with a table of `rows` learned positions besides, which is added to the embeddings; without rows
/// `attention` as it is.
Result<std::unique_ptr<PositionEncoding>> with_learned(const Spec& spec, std::optional<std::size_t> rows,
                                                       Result<std::unique_ptr<PositionEncoding>> attention);

}  // namespace ropewalk::model::position_encoding
