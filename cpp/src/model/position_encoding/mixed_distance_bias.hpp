#pragma once

#include "model/position_encoding/position_encoding.hpp"

namespace ropewalk::model::position_encoding {

/// A bias of the distance that each token mixes from profiles, both ways; in a causal model the profiles of the keys
/// after a query have no effect.
Result<std::unique_ptr<PositionEncoding>> make_mixed_distance_bias(const Spec& spec,
                                                                   const positions::DistanceBias& options);

}  // namespace ropewalk::model::position_encoding
