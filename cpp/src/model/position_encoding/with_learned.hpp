#pragma once

#include "model/position_encoding/position_encoding.hpp"

namespace ropewalk::model::position_encoding {

/// `attention` with a table of learned positions besides, which is added to the embeddings; without one
/// `attention` as it is.
Result<std::unique_ptr<PositionEncoding>> with_learned(const Spec& spec,
                                                       const std::optional<positions::Learned>& learned,
                                                       Result<std::unique_ptr<PositionEncoding>> attention);

}  // namespace ropewalk::model::position_encoding
