#pragma once

#include "model/position_encoding/position_encoding.hpp"

namespace ropewalk::model::position_encoding {

/// RoFormer (arXiv 2104.09864), equation 19, with phi(x) = elu(x) + 1 (arXiv 2006.16236): attention that is
/// linear in T, whose feature maps rotate, as "rope" does, in the numerator and do not in the denominator:
///   context_i = sum_j (R_i phi(q_i)) . (R_j phi(k_j)) v_j / sum_j phi(q_i) . phi(k_j).
/// The weights may be negative. There is no 1/sqrt(D) and no dropout of the weights, which never exist as a
/// matrix. A sequence whose keys are all masked attends to all of them. In a decoder both sums run over j <= i, and the
/// context of a token before the first key that is not masked is 0.
/// Without `rotates` theta is 0, so that nothing else differs: what it is compared with.
Result<std::unique_ptr<PositionEncoding>> make_rope_linear_attention(
    const Spec& spec, const positions::LinearAttention& options);

}  // namespace ropewalk::model::position_encoding
