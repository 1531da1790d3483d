#pragma once

#include "model/position_encoding/position_encoding.hpp"

namespace ropewalk::model::position_encoding {

/// "rope-performer": rotation before the positive random features of FAVOR+ (arXiv 2009.14794, equation 7),
/// so that numerator and denominator both see it, as in the code behind RoFormer's experiment with Performer
/// (section 4.4), though not in its equation 19. With x rotated and w_m orthogonal random directions,
///   phi_m(x) = exp(w_m . x / D^(1/4) - |x|^2 / (2 sqrt(D)) - c) + 1e-4,
///   context_i = sum_j phi(q_i) . phi(k_j) v_j / sum_j phi(q_i) . phi(k_j),
/// c the largest exponent without the square, of a query or of all keys of a head; gradients take it as
/// given. config.json: `performer_features`, how many per head (default D ln D), and `performer_seed`
/// (default 0). They are drawn anew from the seed for each layer and not learned, unless the checkpoint holds
/// them. No dropout of the weights.
///
/// With `performer_rotation` "features", as equation 19 has it and as is usual in a decoder, the F features
/// (by default an even number) rotate instead, in the numerator alone. There, and in every decoder, nothing is added to the features: what
/// is added is small beside the largest exponent, which may be that of a later token. The context of a token
/// before the first key that is not masked is 0.
///
/// Without `rotates` theta is 0, so that nothing else differs: what it is compared with.
Result<std::unique_ptr<PositionEncoding>> make_rope_performer(const Spec& spec,
                                                              const positions::Performer& options);

/// w (features,D) of one layer.
Status performer_features(std::span<float> out, std::size_t features, std::size_t head_dim,
                          std::uint64_t seed, std::size_t layer);

}  // namespace ropewalk::model::position_encoding
