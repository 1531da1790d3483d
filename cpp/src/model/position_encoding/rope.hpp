#pragma once

#include "model/position_encoding/position_encoding.hpp"

namespace ropewalk::model::position_encoding {

/// RoFormer (arXiv 2104.09864, equation 16): queries and keys, and values if options.values, rotate
/// at positions 0..T-1, by the frequencies that rope_options.hpp says. range error for an odd head dimension.
Result<std::unique_ptr<PositionEncoding>> make_rope(const Spec& spec, const positions::Rope& options);

}  // namespace ropewalk::model::position_encoding
