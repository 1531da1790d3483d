#pragma once

#include "model/position_encoding/position_encoding.hpp"

namespace ropewalk::model::position_encoding {

/// PoPE (arXiv 2509.10534): scores of magnitudes, softplus(q) and softplus(k), whose angles come from the positions and
/// a learned phase alone. It is RoPE of heads twice as wide, whose pairs begin as (softplus(q), 0).
Result<std::unique_ptr<PositionEncoding>> make_pope(const Spec& spec, const positions::Pope& options);

}  // namespace ropewalk::model::position_encoding
