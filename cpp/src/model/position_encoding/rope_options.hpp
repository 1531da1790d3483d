#pragma once

#include "model/position_encoding/position_encoding.hpp"

namespace ropewalk::model::position_encoding {

/// How the heads of a model rotate: as `given`, or interleaved with theta_j = 10000^(-2j/D). range error for
/// a head dimension that is odd or not the model's, and for positions of several axes. `encoding` is named in
/// errors.
Result<RopeOptions> rope_options(const Spec& spec, const std::optional<RopeOptions>& given,
                                 std::string_view encoding);

/// As rope_options, with theta = 0: nothing rotates.
Result<RopeOptions> still_options(const Spec& spec, std::string_view encoding);

}  // namespace ropewalk::model::position_encoding
