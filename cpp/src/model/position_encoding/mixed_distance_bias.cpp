#include "model/position_encoding/kinds.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "model/position_encoding/distance_bias.hpp"
#include "model/position_encoding/one_sequence.hpp"
#include "model/position_encoding/packed_product.hpp"
#include "nn/linear.hpp"
#include "nn/scratch.hpp"

namespace ropewalk::model::position_encoding {
namespace {

using nn::packed_scratch;
using nn::scratch_lines;

// The biases of a head of a sequence are the rows of a matrix (T,N), N = 2T - 1, whose column T - 1 + d is that of the
// key d after the query: the (T,T) matrix of bias lies in it as it is, row i from column T - 1 - i on. Distances below
// the reach R = min(E, T) fill its columns T - R to T + R - 2.
class MixedDistanceBias final : public PositionEncoding {
 public:
  MixedDistanceBias(const Spec& spec, const positions::DistanceBias& options)
      : heads_(spec.attention.heads),
        hidden_(spec.hidden),
        extent_(options.extent),
        profiles_(options.profiles) {}

  bool reads_input() const override { return true; }

  void add_layer_parameters(Builder& builder) override {
    using parameters::Initial;
    Layer layer;
    layer.weight =
        builder.of_positions("attention.relative", ".weight", {mixed(), hidden_}, Initial::normal, true);
    layer.profiles = builder.of_positions("attention.relative_profiles", "", {profiles_, 2 * extent_ - 1},
                                          Initial::normal, false);
    layers_.push_back(std::move(layer));
  }

  Status update(nn::Compute compute, const float* parameters) override {
    for (Layer& layer : layers_) {
      ROPEWALK_TRY(layer.packed.pack(compute, parameters + layer.weight, mixed(), hidden_));
    }
    return {};
  }

  void attend(const Attention& pass) const override {
    const Layer& layer = layers_[pass.layer];
    const std::size_t tokens = pass.shape.tokens, count = distance_count(tokens), width = reached(tokens);
    float* const mixes = pass.scratch;                                // (T,H,P)
    float* const packed = mixes + scratch_lines(tokens * mixed());    // (P,2R-1)
    float* const biases = packed + packed_scratch(profiles_, width);  // (H,T,N)
    float* const rest = biases + scratch_lines(heads_ * tokens * count);
    pack(pass.compute, packed, last_profile(pass.parameters, layer, tokens), stride(2 * extent_ - 1), -1,
         profiles_, width);
    std::fill_n(biases, heads_ * tokens * count, 0.0F);
    for (std::size_t b = 0; b < pass.shape.batch; ++b) {
      nn::linear_forward(pass.compute, mixes, pass.x + b * tokens * hidden_, layer.packed, nullptr, tokens);
      for (std::size_t h = 0; h < heads_; ++h) {
        product(pass.compute, biases + first_reached(h, tokens), stride(count), mixes + h * profiles_,
                stride(mixed()), 1, packed, tokens, width, profiles_);
      }
      Attention one = pass;
      one.shape = of_sequence(pass.shape, b);
      one.terms = of_sequence(pass.terms, pass.shape, b);
      one.shape.bias_strides = strides(tokens);
      one.terms.bias = biases + tokens - 1;
      one.qkv = pass.qkv + b * tokens * pass.shape.token_stride;
      one.context = pass.context + b * tokens * heads_ * pass.shape.head_dim;
      if (pass.probs != nullptr) one.probs = pass.probs + b * heads_ * tokens * tokens;
      one.scratch = rest;
      PositionEncoding::attend(one);
    }
  }

  void attend_backward(const AttentionGradient& pass) const override {
    const Layer& layer = layers_[pass.layer];
    const std::size_t tokens = pass.shape.tokens, count = distance_count(tokens), width = reached(tokens);
    const KeysAndValues at(pass.shape);
    float* const mixes = pass.scratch;                                       // (T,H,P)
    float* const dmixes = mixes + scratch_lines(tokens * mixed());           // (T,H,P)
    float* const packed = dmixes + scratch_lines(tokens * mixed());          // (2R-1,P)
    float* const packed_biases = packed + packed_scratch(width, profiles_);  // (T,2R-1)
    float* const dprofiles = packed_biases + packed_scratch(tokens, width);  // (P,2R-1)
    float* const dbiases = dprofiles + scratch_lines(profiles_ * width);     // (H,T,N)
    float* const rest = dbiases + scratch_lines(heads_ * tokens * count);
    pack(pass.compute, packed, last_profile(pass.parameters, layer, tokens), -1, stride(2 * extent_ - 1),
         width, profiles_);
    std::fill_n(dprofiles, profiles_ * width, 0.0F);
    for (std::size_t b = 0; b < pass.shape.batch; ++b) {
      const float* const x = pass.x + b * tokens * hidden_;
      const float* const qkv = pass.qkv + b * tokens * pass.shape.token_stride;
      float* const dqkv = pass.dqkv + b * tokens * pass.shape.token_stride;
      nn::linear_forward(pass.compute, mixes, x, layer.packed, nullptr, tokens);
      nn::AttentionShape one = of_sequence(pass.shape, b);
      one.bias_strides = strides(tokens);
      std::fill_n(dbiases, heads_ * tokens * count, 0.0F);
      nn::attention_backward(pass.compute, dqkv, dqkv + at.key, dqkv + at.value, dbiases + tokens - 1,
                             pass.dcontext + b * tokens * heads_ * pass.shape.head_dim,
                             pass.probs + b * heads_ * tokens * tokens, qkv, qkv + at.key, qkv + at.value,
                             one, rest);
      for (std::size_t h = 0; h < heads_; ++h) {
        const float* const dband = dbiases + first_reached(h, tokens);
        product(pass.compute, dmixes + h * profiles_, stride(mixed()), dband, stride(count), 1, packed,
                tokens, profiles_, width);
        pack(pass.compute, packed_biases, dband, stride(count), 1, tokens, width);
        product(pass.compute, dprofiles, stride(width), mixes + h * profiles_, 1, stride(mixed()),
                packed_biases, profiles_, width, tokens, true);
      }
      nn::linear_backward(pass.compute, pass.dx + b * tokens * hidden_, pass.gradients + layer.weight,
                          nullptr, dmixes, x, pass.parameters + layer.weight, tokens, hidden_, mixed(), rest);
    }
    float* const last = last_profile(pass.gradients, layer, tokens);
    for (std::size_t p = 0; p < profiles_; ++p) {
      for (std::size_t i = 0; i < width; ++i) *(last + p * (2 * extent_ - 1) - i) += dprofiles[p * width + i];
    }
  }

  std::size_t forward_scratch(const nn::AttentionShape& shape, bool with_probs) const override {
    return scratch_lines(shape.tokens * mixed()) + packed_scratch(profiles_, reached(shape.tokens)) +
           scratch_lines(heads_ * shape.tokens * distance_count(shape.tokens)) +
           PositionEncoding::forward_scratch(shape, with_probs);
  }
  std::size_t backward_scratch(const nn::AttentionShape& shape) const override {
    const std::size_t tokens = shape.tokens, width = reached(tokens);
    return 2 * scratch_lines(tokens * mixed()) + packed_scratch(width, profiles_) +
           packed_scratch(tokens, width) + scratch_lines(profiles_ * width) +
           scratch_lines(heads_ * tokens * distance_count(tokens)) +
           std::max(PositionEncoding::backward_scratch(shape),
                    nn::linear_backward_scratch(tokens, hidden_, mixed()));
  }

 private:
  struct Layer {
    std::uint64_t weight = 0, profiles = 0;  // (H P,C), (P,2E-1)
    nn::PackedWeight packed;
  };

  static std::ptrdiff_t stride(std::size_t count) { return static_cast<std::ptrdiff_t>(count); }
  std::size_t mixed() const { return heads_ * profiles_; }
  std::size_t reach(std::size_t tokens) const { return std::min(extent_, tokens); }
  std::size_t reached(std::size_t tokens) const { return 2 * reach(tokens) - 1; }
  /// The first column of a head of biases (H,T,N) that profiles reach.
  std::size_t first_reached(std::size_t head, std::size_t tokens) const {
    return head * tokens * distance_count(tokens) + tokens - reach(tokens);
  }
  static nn::BiasStrides strides(std::size_t tokens) {
    const std::size_t count = distance_count(tokens);
    // With one token there is one score, dense.
    return {.batch = 0, .head = stride(tokens * count), .row = stride(count - 1)};
  }
  /// Profiles count from keys after the query to those before it, and columns of biases the other way: the profile of
  /// the first column, from which those of the others go down.
  template <class Value>
  Value* last_profile(Value* buffer, const Layer& layer, std::size_t tokens) const {
    return buffer + layer.profiles + extent_ + reach(tokens) - 2;
  }

  std::size_t heads_, hidden_, extent_, profiles_;
  std::vector<Layer> layers_;
};

}  // namespace

Made make_mixed_distance_bias(const Spec& spec, const positions::DistanceBias& options) {
  constexpr std::size_t most = 1 << 16;
  if (options.extent < 1 || options.extent > most)
    return out_of_range(spec.family, "relative_extent", options.extent, "a whole number from 1 to 65536");
  if (options.profiles < 1 || options.profiles > most)
    return out_of_range(spec.family, "relative_profiles", options.profiles, "a whole number from 1 to 65536");
  return std::unique_ptr<PositionEncoding>(std::make_unique<MixedDistanceBias>(spec, options));
}

}  // namespace ropewalk::model::position_encoding
