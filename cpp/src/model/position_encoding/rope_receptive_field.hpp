#pragma once

#include "model/position_encoding/position_encoding.hpp"

namespace ropewalk::model::position_encoding {

/// "rope-receptive-field": each head of each layer learns its receptive field, 10000^rho positions wide, and
/// how much it counts: theta*_j = alpha / 10000^rho + (1 - alpha) theta_j, from the theta_j of "rope".
/// Learning begins at alpha 0, RoPE itself, and rho 1/2, the middle of RoPE's own wavelengths on a
/// logarithmic scale; neither is kept within bounds.
Result<std::unique_ptr<PositionEncoding>> make_rope_receptive_field(
    const Spec& spec, const positions::RopeReceptiveField& options);

}  // namespace ropewalk::model::position_encoding
