#pragma once

#include "model/position_encoding/position_encoding.hpp"

namespace ropewalk::model::position_encoding {

/// Transformer-XL (arXiv 1901.02860, section 3.3), both ways as an encoder needs it: query i and key j score
///   ((q_i + u) . k_j + (q_i + v) . (W_R R_{i-j})) / sqrt(D),
/// R_n the interleaved sinusoid of the signed distance n over all H D channels, W_R (H D, H D) of each layer,
/// u and v (H,D) of each layer. They begin at 0, as Huang et al.'s relative scores do without them.
Result<std::unique_ptr<PositionEncoding>> make_transformer_xl(const Spec& spec);

}  // namespace ropewalk::model::position_encoding
