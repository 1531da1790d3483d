#pragma once

#include "model/position_encoding/position_encoding.hpp"

namespace ropewalk::position_encoding {

/// No positions at all: the encoder sees a bag of tokens, the baseline of every comparison.
Result<std::unique_ptr<PositionEncoding>> make_none(const Dimensions& dimensions);

}  // namespace ropewalk::position_encoding
