#pragma once

#include "model/position_encoding/position_encoding.hpp"

namespace ropewalk::model::position_encoding {

/// RoPE++ (arXiv 2512.07525), the form with half of the projections: H/2 heads of queries, keys and values give H heads
/// of attention, of the real and then of the imaginary part of the products.
Result<std::unique_ptr<PositionEncoding>> make_rope_plus_plus(const Spec& spec,
                                                              const positions::RopePlusPlus& options);

}  // namespace ropewalk::model::position_encoding
