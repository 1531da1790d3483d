#pragma once

#include "model/position_encoding/position_encoding.hpp"
#include "ropewalk/rope.hpp"

namespace ropewalk::position_encoding {

/// How the heads of a model rotate: RoFormer's interleaved pairs and theta_j = 10000^(-2j/D), unless its
/// config.json says otherwise with the keys that Hugging Face's other models have: `rope_theta`,
/// `rope_scaling` or `rope_parameters` with any rule of ropewalk/config.hpp, `partial_rotary_factor`,
/// `rope_interleave`. A sequence length that the rule depends on is left at 1. `encoding` is named in errors.
Result<RopeOptions> rope_options(const Dimensions& dimensions, std::string_view encoding);

/// As rope_options, with theta = 0: nothing turns.
Result<RopeOptions> still_options(const Dimensions& dimensions, std::string_view encoding);

}  // namespace ropewalk::position_encoding
