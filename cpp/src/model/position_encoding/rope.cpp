#include "model/position_encoding/kinds.hpp"

#include "base/text.hpp"
#include "model/position_encoding/rope_options.hpp"
#include "model/position_encoding/rotation.hpp"

namespace ropewalk::model::position_encoding {
namespace {

class RopeEncoding final : public PositionEncoding {
 public:
  RopeEncoding(std::vector<Rotation> ropes, std::vector<std::optional<std::size_t>> rope_of_layer)
      : ropes_(std::move(ropes)), rope_of_layer_(std::move(rope_of_layer)) {}

  void swap_frequencies(PositionEncoding& other) override {
    auto& encoding = static_cast<RopeEncoding&>(other);
    std::swap(ropes_, encoding.ropes_);
    std::swap(rope_of_layer_, encoding.rope_of_layer_);
  }

  Status prepare(nn::Compute compute, std::size_t tokens) override {
    for (Rotation& rope : ropes_) {
      ROPEWALK_TRY(rope.prepare(compute, tokens, probe_));
    }
    return {};
  }

  void attend(const Attention& pass) const override {
    if (const Rotation* rope = of_layer(pass.layer)) rope->rotate(pass.compute, pass.qkv, pass.shape);
    scale_queries(pass);
    PositionEncoding::attend(pass);
  }

  void attend_backward(const AttentionGradient& pass) const override {
    PositionEncoding::attend_backward(pass);
    if (const Rotation* rope = of_layer(pass.layer)) rope->pull_back(pass.compute, pass.dqkv, pass.shape);
  }

 private:
  static void scale_queries(const Attention& pass) {
    const nn::AttentionShape& shape = pass.shape;
    for (std::size_t t = 0; t < shape.batch * shape.tokens && pass.gain != nullptr; ++t) {
      for (std::size_t i = 0; i < shape.heads * shape.head_dim; ++i)
        pass.qkv[t * shape.token_stride + i] *= pass.gain[i % shape.head_dim];
    }
  }
  const Rotation* of_layer(std::size_t layer) const {
    const std::optional<std::size_t>& rope = rope_of_layer_[layer];
    return rope ? &ropes_[*rope] : nullptr;
  }

  std::vector<Rotation> ropes_;
  std::vector<std::optional<std::size_t>> rope_of_layer_;
  Buffer<float> probe_;
};

}  // namespace

Made make_rope(const Spec& spec, const positions::Rope& options) {
  std::vector<std::optional<RopeOptions>> given(options.ropes.begin(), options.ropes.end());
  if (given.empty()) given.emplace_back();
  std::vector<Rotation> ropes;
  for (std::size_t r = 0; r < given.size(); ++r) {
    // All layers that name a rope have heads of one dimension.
    std::optional<std::size_t> head_dim;
    for (std::size_t l = 0; l < spec.layers.size(); ++l) {
      if (spec.layers[l].rope != r) continue;
      if (head_dim && *head_dim != spec.head_dim(l)) {
        return out_of_range(spec.family, "layers[" + std::to_string(l) + "].head_dim", spec.head_dim(l),
                            std::to_string(*head_dim) + ", as in the other layers of that rope");
      }
      head_dim = spec.head_dim(l);
    }
    ROPEWALK_LET(checked, rope_options(spec, given[r], "rope", head_dim));
    ROPEWALK_LET(rotation, Rotation::make(checked, options.values ? 3 : 2, sense_of(spec)));
    ropes.push_back(std::move(rotation));
  }
  std::vector<std::optional<std::size_t>> rope_of_layer;
  for (const LayerSpec& layer : spec.layers) {
    if (layer.rope && *layer.rope >= ropes.size()) {
      return out_of_range(spec.family, "layers[" + std::to_string(rope_of_layer.size()) + "].rope",
                          *layer.rope,
                          "one of the " + std::to_string(ropes.size()) + " ropes, counted from 0");
    }
    rope_of_layer.push_back(layer.rope);
  }
  return std::unique_ptr<PositionEncoding>(
      std::make_unique<RopeEncoding>(std::move(ropes), std::move(rope_of_layer)));
}

}  // namespace ropewalk::model::position_encoding
