#include "model/position_encoding/kinds.hpp"

#include <algorithm>

#include "model/position_encoding/distance_bias.hpp"

namespace ropewalk::model::position_encoding {
namespace {

class T5 final : public PositionEncoding {
 public:
  explicit T5(std::size_t heads) : heads_(heads) {}

  void add_parameters(Builder& builder) override {
    weight_ = builder.of_positions("positions.relative_attention_bias", ".weight", {t5_buckets, heads_},
                                   parameters::Initial::normal, false);
  }

  void attend(const Attention& pass) const override {
    float* const bias = pass.scratch;  // (H,2T-1)
    const std::size_t tokens = pass.shape.tokens, count = distance_count(tokens);
    for (std::size_t i = 0; i < count; ++i) {
      const float* row = pass.parameters + weight_ + bucket(i, tokens) * heads_;
      for (std::size_t h = 0; h < heads_; ++h) bias[h * count + i] = row[h];
    }
    Attention biased = with_distance_bias(pass, bias);
    biased.scratch = pass.scratch + distance_bias_scratch(pass.shape);
    PositionEncoding::attend(biased);
  }

  void attend_backward(const AttentionGradient& pass) const override {
    float* const dbias = pass.scratch;  // (H,2T-1)
    const std::size_t tokens = pass.shape.tokens, count = distance_count(tokens);
    const std::size_t hidden = pass.shape.heads * pass.shape.head_dim;
    std::fill_n(dbias, heads_ * count, 0.0F);
    nn::attention_backward(pass.compute, pass.dqkv, pass.dqkv + hidden, pass.dqkv + 2 * hidden,
                           dbias + tokens - 1, pass.dcontext, pass.probs, pass.qkv, pass.qkv + hidden,
                           pass.qkv + 2 * hidden, with_distance_bias(pass.shape),
                           pass.scratch + distance_bias_scratch(pass.shape));
    for (std::size_t i = 0; i < count; ++i) {
      float* row = pass.gradients + weight_ + bucket(i, tokens) * heads_;
      for (std::size_t h = 0; h < heads_; ++h) row[h] += dbias[h * count + i];
    }
  }

  std::size_t forward_scratch(const nn::AttentionShape& shape, bool with_probs) const override {
    return distance_bias_scratch(shape) + PositionEncoding::forward_scratch(shape, with_probs);
  }
  std::size_t backward_scratch(const nn::AttentionShape& shape) const override {
    return distance_bias_scratch(shape) + PositionEncoding::backward_scratch(shape);
  }

 private:
  static std::size_t bucket(std::size_t i, std::size_t tokens) {
    return t5_bucket(static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(tokens - 1));
  }

  std::size_t heads_;
  std::uint64_t weight_ = 0;  // (32,H)
};

}  // namespace

std::size_t t5_bucket(std::ptrdiff_t relative) {
  constexpr std::size_t half = t5_buckets / 2, exact = half / 2;
  const std::size_t side = relative > 0 ? half : 0;
  const auto distance = static_cast<std::size_t>(relative < 0 ? -relative : relative);
  if (distance < exact) return side + distance;
  // Bucket exact + n begins at exact * (128 / exact)^(n / exact) = 8 * 2^(n / 2): in squares, whole numbers.
  const std::size_t square = distance < 128 ? distance * distance : 128 * 128;
  std::size_t n = 0;
  while (n < exact - 1 && square >= exact * exact << (n + 1)) ++n;
  return side + exact + n;
}

Made make_t5(const Spec& spec) {
  return std::unique_ptr<PositionEncoding>(std::make_unique<T5>(spec.attention.heads));
}

}  // namespace ropewalk::model::position_encoding
