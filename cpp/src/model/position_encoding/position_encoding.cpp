#include "model/position_encoding/position_encoding.hpp"

#include <variant>

#include "base/overloaded.hpp"
#include "base/text.hpp"
#include "model/position_encoding/kinds.hpp"

namespace ropewalk::model::position_encoding {
namespace {

#if !defined(ROPEWALK_DECODERS_ONLY)
std::optional<positions::Learned> rows_of(const std::optional<std::size_t>& rows) {
  if (!rows) return {};
  return positions::Learned{.rows = *rows};
}
#endif

}  // namespace

Result<std::unique_ptr<PositionEncoding>> make(const Spec& spec) {
  using namespace positions;
  return std::visit(Overloaded{
                        [&](const None&) { return make_none(); },
                        [&](const positions::Rope& options) { return make_rope(spec, options); },
                        [&](const Learned& options) { return make_learned(spec, options); },
#if defined(ROPEWALK_DECODERS_ONLY)
                        // No family of decoders has another.
                        [&](const auto&) -> Made {
                          return unsupported(spec.family, "positions", "another encoding",
                                             "ropes, learned positions or none");
                        },
#else
                        [&](const Sinusoidal& options) { return make_sinusoidal(spec, options); },
                        [&](const TransformerXl&) { return make_transformer_xl(spec); },
                        [&](const T5& options) { return with_learned(spec, options.learned, make_t5(spec)); },
                        [&](const Alibi& options) { return make_alibi(spec, options); },
                        [&](const RopeReceptiveField& options) {
                          return make_rope_receptive_field(spec, options);
                        },
                        [&](const LinearAttention& options) {
                          return with_learned(spec, rows_of(options.learned_rows),
                                              make_rope_linear_attention(spec, options));
                        },
                        [&](const Performer& options) {
                          return with_learned(spec, rows_of(options.learned_rows),
                                              make_rope_performer(spec, options));
                        },
                        [&](const Pope& options) { return make_pope(spec, options); },
                        [&](const RopePlusPlus& options) { return make_rope_plus_plus(spec, options); },
                        [&](const DistanceBias& options) { return make_mixed_distance_bias(spec, options); },
#if defined(ROPEWALK_TRAINING_ONLY)
                        // It has no backward pass, nor has the module a family with it.
                        [&](const Disentangled&) -> Made {
                          return unsupported(spec.family, "positions", "disentangled attention",
                                             "another encoding");
                        },
#else
                        [&](const Disentangled& options) {
                          return with_learned(spec, options.learned, make_disentangled(spec, options));
                        },
#endif
#endif
                    },
                    spec.positions);
}

void PositionEncoding::add_parameters(Builder&) {}
void PositionEncoding::add_layer_parameters(Builder&) {}
Status PositionEncoding::update(nn::Compute, const float*) { return {}; }
void PositionEncoding::swap_frequencies(PositionEncoding&) {}
Status PositionEncoding::prepare(nn::Compute, std::size_t) { return {}; }
void PositionEncoding::add_to_embeddings(nn::Compute, float*, const std::int32_t*, std::size_t, std::size_t,
                                         const float*) const {}
void PositionEncoding::add_to_embeddings_backward(nn::Compute, const float*, const std::int32_t*, std::size_t,
                                                  std::size_t, float*) const {}

void PositionEncoding::add_later_to_embeddings(nn::Compute, float*, std::size_t, std::size_t,
                                               const float*) const {}

void PositionEncoding::attend(const Attention& pass) const {
  const KeysAndValues at(pass.shape);
  nn::attention_forward(pass.compute, pass.context, pass.probs, pass.qkv, pass.qkv + at.key,
                        pass.qkv + at.value, pass.shape, pass.terms, pass.scratch);
}

void PositionEncoding::attend_backward(const AttentionGradient& pass) const {
  const KeysAndValues at(pass.shape);
  nn::attention_backward(pass.compute, pass.dqkv, pass.dqkv + at.key, pass.dqkv + at.value, nullptr,
                         pass.dcontext, pass.probs, pass.qkv, pass.qkv + at.key, pass.qkv + at.value,
                         pass.shape, pass.scratch);
}

std::size_t PositionEncoding::forward_scratch(const nn::AttentionShape& shape, bool with_probs) const {
  return nn::attention_forward_scratch(shape, with_probs);
}
std::size_t PositionEncoding::backward_scratch(const nn::AttentionShape& shape) const {
  return nn::attention_backward_scratch(shape);
}

}  // namespace ropewalk::model::position_encoding
