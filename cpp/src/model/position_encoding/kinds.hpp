#pragma once

// The position encodings that there are, each in the file of its name.

#include "model/position_encoding/position_encoding.hpp"

namespace ropewalk::model::position_encoding {

using Made = Result<std::unique_ptr<PositionEncoding>>;

/// No positions at all: the encoder sees a bag of tokens, the baseline of every comparison.
Made make_none();

/// Vaswani et al. 2017 (arXiv 1706.03762), section 3.5: sin(p / 10000^(2i/E)) is added to channel 2i of the
/// embedding of the token at p, the cosine to channel 2i + 1.
Made make_sinusoidal(const Spec& spec, const positions::Sinusoidal& options);

/// Rows of interleaved sines and cosines, (rows,width), of the positions first, first + step, ...
Status fill_sinusoids(std::span<float> table, double first, double step, std::size_t rows, std::size_t width);

/// BERT (arXiv 1810.04805): a learned vector per position, added to the embedding of the token there. There
/// are max_position_embeddings of them, so that longer sequences are refused.
Made make_learned(const Spec& spec, const positions::Learned& options);

/// `attention` with a table of learned positions besides, which is added to the embeddings; without one
/// `attention` as it is.
Made with_learned(const Spec& spec, const std::optional<positions::Learned>& learned, Made attention);

/// Transformer-XL (arXiv 1901.02860, section 3.3), both ways as an encoder needs it: query i and key j score
///   ((q_i + u) . k_j + (q_i + v) . (W_R R_{i-j})) / sqrt(D),
/// R_n the interleaved sinusoid of the signed distance n over all H D channels, W_R (H D, H D) of each layer,
/// u and v (H,D) of each layer. They begin at 0, as Huang et al.'s relative scores do without them.
Made make_transformer_xl(const Spec& spec);

/// T5 (arXiv 1910.10683, section 2.1), the bidirectional form: a learned number per bucket of distances and
/// head is added to the scores; all layers share it.
Made make_t5(const Spec& spec);

inline constexpr std::size_t t5_buckets = 32;

/// The bucket of a key `relative` tokens after its query: 16 for keys at or before it, 16 for those after.
/// In each half, 8 buckets hold one distance each and 8 hold logarithmically more, the last one all distances from
/// 128 * 2^(-1/2) on.
std::size_t t5_bucket(std::ptrdiff_t relative);

/// ALiBi (arXiv 2108.12409), the symmetric form for encoders: -slope |i - j| is added to the scores, after
/// the division by sqrt(D); the slope of head h, counted from 0, is 2^(-8(h+1)/H). Nothing is learned. It
/// cannot tell left from right, unless it is asymmetric: then keys after the query are penalised half as
/// steeply as those before it.
Made make_alibi(const Spec& spec, const positions::Alibi& options);

/// RoFormer (arXiv 2104.09864, equation 16): queries and keys, and values if options.values, rotate
/// at positions 0..T-1, by the frequencies that rope_options.hpp says. range error for an odd head dimension.
Made make_rope(const Spec& spec, const positions::Rope& options);

/// "rope-receptive-field": each head of each layer learns its receptive field, 10000^rho positions wide, and
/// how much it counts: theta*_j = alpha / 10000^rho + (1 - alpha) theta_j, from the theta_j of "rope".
/// Learning begins at alpha 0, RoPE itself, and rho 1/2, the middle of RoPE's own wavelengths on a
/// logarithmic scale; neither is kept within bounds.
Made make_rope_receptive_field(const Spec& spec, const positions::RopeReceptiveField& options);

/// RoFormer (arXiv 2104.09864), equation 19, with phi(x) = elu(x) + 1 (arXiv 2006.16236): attention that is
/// linear in T, whose feature maps rotate, as "rope" does, in the numerator and do not in the denominator:
///   context_i = sum_j (R_i phi(q_i)) . (R_j phi(k_j)) v_j / sum_j phi(q_i) . phi(k_j).
/// The weights may be negative. There is no 1/sqrt(D) and no dropout of the weights, which never exist as a
/// matrix. A sequence whose keys are all masked attends to all of them. In a decoder both sums run over j <= i, and the
/// context of a token before the first key that is not masked is 0.
/// Without `rotates` theta is 0, so that nothing else differs: what it is compared with.
Made make_rope_linear_attention(const Spec& spec, const positions::LinearAttention& options);

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
Made make_rope_performer(const Spec& spec, const positions::Performer& options);

/// w (features,D) of one layer.
Status performer_features(std::span<float> out, std::size_t features, std::size_t head_dim,
                          std::uint64_t seed, std::size_t layer);

/// PoPE (arXiv 2509.10534): scores of magnitudes, softplus(q) and softplus(k), whose angles come from the positions and
/// a learned phase alone. It is RoPE of heads twice as wide, whose pairs begin as (softplus(q), 0).
Made make_pope(const Spec& spec, const positions::Pope& options);

/// RoPE++ (arXiv 2512.07525), the form with half of the projections: H/2 heads of queries, keys and values give H heads
/// of attention, of the real and then of the imaginary part of the products.
Made make_rope_plus_plus(const Spec& spec, const positions::RopePlusPlus& options);

/// A bias of the distance that each token mixes from profiles, both ways; in a causal model the profiles of the keys
/// after a query have no effect.
Made make_mixed_distance_bias(const Spec& spec, const positions::DistanceBias& options);

/// The bucket of a distance: 0 at 0, of the sign of the distance, as positions::Disentangled has them.
std::ptrdiff_t distance_bucket(std::ptrdiff_t distance, const positions::Disentangled& options);

Made make_disentangled(const Spec& spec, const positions::Disentangled& options);

}  // namespace ropewalk::model::position_encoding
