#pragma once

#include "model/position_encoding/position_encoding.hpp"

namespace ropewalk::model::position_encoding {

/// No positions at all: the encoder sees a bag of tokens, the baseline of every comparison.
Result<std::unique_ptr<PositionEncoding>> make_none();

}  // namespace ropewalk::model::position_encoding
