#include "model/position_encoding/kinds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "model/position_encoding/feature_attention.hpp"
#include "model/position_encoding/orthogonal_features.hpp"
#include "model/position_encoding/padding.hpp"
#include "model/position_encoding/rope_options.hpp"
#include "model/position_encoding/rotation.hpp"
#include "nn/linear.hpp"
#include "nn/scratch.hpp"

namespace ropewalk::model::position_encoding {
namespace {

using nn::scratch_lines;

constexpr float least = 1e-4F;  // added to each feature
constexpr std::size_t most_features = 1 << 16;

/// Random directions w (F,D) of one layer, with the factor D^(-1/4) in them, packed for x w^T and for gradients
/// times w.
struct Directions {
  Buffer<float> w;
  std::vector<float> given;  // w without the factor, where the checkpoint holds it
  nn::PackedWeight forward, backward;
};

class RopePerformer final : public PositionEncoding {
 public:
  RopePerformer(Rotation rotation, std::vector<Directions> layers, std::size_t features, std::size_t head_dim,
                bool rotates_features, bool causal)
      : rotation_(std::move(rotation)),
        layers_(std::move(layers)),
        features_(features),
        head_dim_(head_dim),
        row_(rotates_features ? 3 * features : features),
        least_(rotates_features || causal ? 0 : least),
        rotates_features_(rotates_features),
        causal_(causal) {}

  void add_layer_parameters(Builder& builder) override {
    const Directions& layer = layers_[builder.layer().value_or(0)];
    if (layer.given.empty()) return;
    buffers_.push_back({builder.name("attention.directions", ""), {features_, head_dim_}, layer.given});
  }
  std::span<const NamedBuffer> buffers() const override { return buffers_; }
  void swap_frequencies(PositionEncoding& other) override {
    auto& performer = static_cast<RopePerformer&>(other);
    std::swap(rotation_, performer.rotation_);
    std::swap(layers_, performer.layers_);
  }

  // Nothing is learned, but the packing is that of the kernels.
  Status update(nn::Compute compute, const float*) override {
    for (Directions& layer : layers_) {
      for (Status status : {layer.forward.pack(compute, layer.w.data(), features_, head_dim_),
                            layer.backward.pack_transposed(compute, layer.w.data(), features_, head_dim_)}) {
        if (!status.ok()) return status;
      }
    }
    return {};
  }
  Status prepare(nn::Compute compute, std::size_t tokens) override {
    return rotation_.prepare(compute, tokens, probe_);
  }
  bool needs_probs() const override { return false; }
  bool has_scores() const override { return false; }

  void attend(const Attention& pass) const override {
    const nn::AttentionShape& shape = pass.shape;
    const std::size_t tokens = shape.tokens, hidden = shape.heads * head_dim_;
    const OneHead parts = place(pass.scratch, tokens);
    float* const rest = parts.end;
    if (!rotates_features_) rotation_.rotate(pass.compute, pass.qkv, shape);
    for (std::size_t b = 0; b < shape.batch; ++b) {
      const std::uint8_t* keys = padding(pass.terms, b, tokens);
      for (std::size_t h = 0; h < shape.heads; ++h) {
        const float* q = pass.qkv + b * tokens * 3 * hidden + h * head_dim_;
        const FeatureAttention head = map(pass.compute, layers_[pass.layer], parts, q, keys, shape);
        if (rotates_features_) rotation_.rotate(pass.compute, parts.q, of_features(tokens));
        feature_attention_forward(pass.context + b * tokens * hidden + h * head_dim_,
                                  static_cast<std::ptrdiff_t>(hidden), head, rest);
        if (pass.probs == nullptr) continue;
        feature_attention_weights(pass.probs + (b * shape.heads + h) * tokens * tokens, head, rest);
      }
    }
  }

  void attend_backward(const AttentionGradient& pass) const override {
    const nn::AttentionShape& shape = pass.shape;
    const std::size_t tokens = shape.tokens, hidden = shape.heads * head_dim_;
    const auto& dense = pass.compute.dense();
    const auto row = static_cast<std::ptrdiff_t>(row_);
    const OneHead parts = place(pass.scratch, tokens);
    const OneHead gradients = place(parts.end, tokens);
    float* const rotated = gradients.end;  // (T,3,F), where features rotate
    float* const rest = rotated + rotated_scratch(tokens);
    for (std::size_t b = 0; b < shape.batch; ++b) {
      const std::uint8_t* keys = padding(pass.terms, b, tokens);
      for (std::size_t h = 0; h < shape.heads; ++h) {
        const std::size_t at = b * tokens * 3 * hidden + h * head_dim_;
        FeatureAttention head = map(pass.compute, layers_[pass.layer], parts, pass.qkv + at, keys, shape);
        if (rotates_features_) {
          std::copy_n(parts.q, tokens * row_, rotated);
          rotation_.rotate(pass.compute, rotated, of_features(tokens));
          head.q = rotated;
          head.k = rotated + features_;
        }
        float* const dq = pass.dqkv + at;
        feature_attention_backward({.dcontext = pass.dcontext + b * tokens * hidden + h * head_dim_,
                                    .dcontext_stride = static_cast<std::ptrdiff_t>(hidden),
                                    .dq = gradients.q,
                                    .dk = gradients.k,
                                    .dv = dq + 2 * hidden,
                                    .dq_stride = row,
                                    .dk_stride = row,
                                    .dv_stride = head.v_stride,
                                    .ddenominator = gradients.denominator},
                                   head, rest);
        if (rotates_features_) rotation_.pull_back(pass.compute, gradients.q, of_features(tokens));
        // The denominator: den_i = phi(q_i) . sum, sum = sum_j phi(k_j), if causal over j <= i.
        std::fill_n(gradients.key_sum, features_, 0.0F);
        if (causal_) std::fill_n(parts.key_sum, features_, 0.0F);
        const auto add_query = [&](std::size_t t) {
          dense.axpy(gradients.denominator[t], parts.q + t * row_, gradients.key_sum, features_);
        };
        for (std::size_t t = 0; t < tokens; ++t) {
          if (causal_) dense.add(parts.k + t * row_, parts.key_sum, features_);
          dense.axpy(gradients.denominator[t], parts.key_sum, gradients.q + t * row_, features_);
          if (!causal_) add_query(t);
        }
        for (std::size_t t = tokens; t-- > 0;) {
          if (causal_) add_query(t);
          dense.add(gradients.key_sum, gradients.k + t * row_, features_);
        }
        map_backward(pass.compute, layers_[pass.layer], dq, gradients.q, parts.q, pass.qkv + at, nullptr,
                     shape);
        map_backward(pass.compute, layers_[pass.layer], dq + hidden, gradients.k, parts.k,
                     pass.qkv + at + hidden, keys, shape);
      }
    }
    if (!rotates_features_) rotation_.pull_back(pass.compute, pass.dqkv, shape);
  }

  std::size_t forward_scratch(const nn::AttentionShape& shape, bool with_probs) const override {
    std::size_t rest = feature_attention_forward_scratch(shape.tokens, features_, head_dim_);
    if (with_probs) rest = std::max(rest, feature_attention_weights_scratch(shape.tokens, features_));
    return head_scratch(shape.tokens) + rest;
  }
  std::size_t backward_scratch(const nn::AttentionShape& shape) const override {
    return 2 * head_scratch(shape.tokens) + rotated_scratch(shape.tokens) +
           feature_attention_backward_scratch(shape.tokens, features_, head_dim_);
  }

 private:
  /// Features of one head, or their gradients.
  struct OneHead {
    float *q, *k;        // (T,F), or both in (T,3,F), as a rotation takes them
    float* key_sum;      // (F)
    float* denominator;  // (T)
    float* end;
  };
  OneHead place(float* scratch, std::size_t tokens) const {
    OneHead head{};
    head.q = scratch;
    head.k = rotates_features_ ? head.q + features_ : head.q + scratch_lines(tokens * features_);
    head.key_sum = head.q + features_scratch(tokens);
    head.denominator = head.key_sum + scratch_lines(features_);
    head.end = head.denominator + scratch_lines(tokens);
    return head;
  }
  std::size_t features_scratch(std::size_t tokens) const {
    return rotates_features_ ? rotated_scratch(tokens) : 2 * scratch_lines(tokens * features_);
  }
  std::size_t rotated_scratch(std::size_t tokens) const {
    return rotates_features_ ? scratch_lines(tokens * row_) : 0;
  }
  std::size_t head_scratch(std::size_t tokens) const {
    return features_scratch(tokens) + scratch_lines(features_) + scratch_lines(tokens);
  }
  /// The features of one head as projections that rotate.
  nn::AttentionShape of_features(std::size_t tokens) const {
    nn::AttentionShape shape{};
    shape.batch = 1;
    shape.tokens = tokens;
    shape.heads = 1;
    shape.head_dim = features_;
    return shape;
  }

  /// Features of the head whose rotated queries begin at q; keys and values follow, as in (B,T,3,H,D).
  FeatureAttention map(nn::Compute compute, const Directions& layer, const OneHead& head, const float* q,
                       const std::uint8_t* keys, const nn::AttentionShape& shape) const {
    const std::size_t hidden = shape.heads * head_dim_, tokens = shape.tokens;
    exponents(layer, head.q, q, shape);
    for (std::size_t t = 0; t < tokens; ++t) {
      const float* row = head.q + t * row_;
      finish(compute, head.q, q, t, *std::max_element(row, row + features_), shape);
    }
    exponents(layer, head.k, q + hidden, shape);
    float largest = -std::numeric_limits<float>::infinity();
    for (std::size_t t = 0; t < tokens; ++t) {
      if (keys != nullptr && keys[t] == 0) continue;
      const float* row = head.k + t * row_;
      largest = std::max(largest, *std::max_element(row, row + features_));
    }
    std::fill_n(head.key_sum, features_, 0.0F);
    for (std::size_t t = 0; t < tokens; ++t) {
      if (keys != nullptr && keys[t] == 0) {
        std::fill_n(head.k + t * row_, features_, 0.0F);
        continue;
      }
      finish(compute, head.k, q + hidden, t, largest, shape);
      if (!causal_) compute.dense().add(head.k + t * row_, head.key_sum, features_);
    }
    for (std::size_t t = 0; t < tokens; ++t) {
      if (causal_) compute.dense().add(head.k + t * row_, head.key_sum, features_);
      double dot = 0;
      for (std::size_t f = 0; f < features_; ++f) dot += double{head.q[t * row_ + f]} * head.key_sum[f];
      head.denominator[t] = static_cast<float>(dot);
    }
    const auto row = static_cast<std::ptrdiff_t>(row_);
    return {.compute = compute,
            .tokens = tokens,
            .features = features_,
            .head_dim = head_dim_,
            .q = head.q,
            .k = head.k,
            .q_stride = row,
            .k_stride = row,
            .v = q + 2 * hidden,
            .v_stride = static_cast<std::ptrdiff_t>(3 * hidden),
            .denominator = head.denominator,
            .denominator_stride = 1,
            .causal = causal_};
  }

  /// phi (T,F) = x w^T
  void exponents(const Directions& layer, float* phi, const float* x, const nn::AttentionShape& shape) const {
    layer.forward.kernels().gemm({.a = x,
                                  .a_row = static_cast<std::ptrdiff_t>(3 * shape.heads * head_dim_),
                                  .a_k = 1,
                                  .b = layer.forward.data(),
                                  .bias = nullptr,
                                  .c = phi,
                                  .c_row = static_cast<std::ptrdiff_t>(row_),
                                  .m = shape.tokens,
                                  .n = features_,
                                  .k = head_dim_,
                                  .accumulate = false});
  }

  /// Row t of phi, from x w^T to the features.
  void finish(nn::Compute compute, float* phi, const float* x, std::size_t t, float largest,
              const nn::AttentionShape& shape) const {
    const float* from = x + t * 3 * shape.heads * head_dim_;
    float* const row = phi + t * row_;
    double square = 0;
    for (std::size_t d = 0; d < head_dim_; ++d) square += double{from[d]} * from[d];
    const auto shift = static_cast<float>(double{largest} + square * double{shape.scale} / 2);
    compute.dense().exp_shifted(row, shift, 1.0F, row, features_);
    for (std::size_t f = 0; f < features_; ++f) row[f] += least_;
  }

  /// dx (T,D) from dphi (T,F), which becomes the gradient of the exponents.
  void map_backward(nn::Compute compute, const Directions& layer, float* dx, float* dphi, const float* phi,
                    const float* x, const std::uint8_t* keys, const nn::AttentionShape& shape) const {
    const std::size_t token = 3 * shape.heads * head_dim_;
    for (std::size_t t = 0; t < shape.tokens; ++t) {
      const bool counts = keys == nullptr || keys[t] != 0;
      for (std::size_t i = t * row_; i < t * row_ + features_; ++i)
        dphi[i] *= counts ? phi[i] - least_ : 0.0F;
    }
    layer.backward.kernels().gemm({.a = dphi,
                                   .a_row = static_cast<std::ptrdiff_t>(row_),
                                   .a_k = 1,
                                   .b = layer.backward.data(),
                                   .bias = nullptr,
                                   .c = dx,
                                   .c_row = static_cast<std::ptrdiff_t>(token),
                                   .m = shape.tokens,
                                   .n = head_dim_,
                                   .k = features_,
                                   .accumulate = false});
    for (std::size_t t = 0; t < shape.tokens; ++t) {
      double sum = 0;
      for (std::size_t f = 0; f < features_; ++f) sum += dphi[t * row_ + f];
      compute.dense().axpy(static_cast<float>(-sum * double{shape.scale}), x + t * token, dx + t * token,
                           head_dim_);
    }
  }

  Rotation rotation_;
  std::vector<Directions> layers_;
  std::size_t features_, head_dim_;
  std::size_t row_;  // from one token's features to the next one's
  float least_;
  bool rotates_features_, causal_;
  std::vector<NamedBuffer> buffers_;
  Buffer<float> probe_;
};

}  // namespace

Status performer_features(std::span<float> out, std::size_t features, std::size_t head_dim,
                          std::uint64_t seed, std::size_t layer) {
  return fill_orthogonal_features(out, features, head_dim, Random(seed).fork(layer).next());
}

namespace {

/// The options of the rotation, whose heads are the features where these rotate.
Result<RopeOptions> rotation_options(const Spec& spec, const positions::Performer& options,
                                     std::size_t features, std::string_view name) {
  if (!options.rotates) return still_options(spec, name);
  Result<RopeOptions> rope = rope_options(spec, options.rope, name);
  if (!rope.ok() || options.rotated == positions::Performer::Rotated::projections) return rope;
  if (features % 2 != 0) {
    return out_of_range(spec.family, "performer_features", features,
                        "an even number where `performer_rotation` is \"features\"");
  }
  if (options.values) {
    return out_of_range(spec.family, "rotary_value", "true",
                        "false where `performer_rotation` is \"features\"");
  }
  if (rope.value().rotary_dim.value_or(spec.head_dim()) != spec.head_dim()) {
    return out_of_range(spec.family, "rotary_dim", *rope.value().rotary_dim,
                        "the whole head where `performer_rotation` is \"features\": all of them rotate");
  }
  rope.value().rotary_dim.reset();
  rope.value().head_dim = features;
  return rope;
}

/// Those of the checkpoint, or drawn from the seed.
Status make_directions(const Spec& spec, const positions::Performer& options, std::size_t features,
                       std::vector<Directions>& layers) {
  const std::size_t width = spec.head_dim(), size = features * width;
  const auto factor = static_cast<float>(std::pow(static_cast<double>(width), -0.25));
  layers.resize(spec.layers.size());
  for (std::size_t l = 0; l < layers.size(); ++l) {
    Buffer<float>& w = layers[l].w;
    ROPEWALK_TRY(w.allocate(size, "roformer: random features"));
    if (!options.directions.empty()) {
      if (options.directions.size() != layers.size() || options.directions[l].size() != size) {
        return out_of_range(spec.family, "positions.directions", options.directions[l].size(),
                            std::to_string(size) + " numbers for each layer");
      }
      layers[l].given = options.directions[l];
      std::ranges::copy(layers[l].given, w.data());
    } else if (Status status = performer_features(w.span(), features, width, options.seed, l); !status.ok()) {
      return status;
    }
    for (float& each : w.span()) each *= factor;
  }
  return {};
}

}  // namespace

Made make_rope_performer(const Spec& spec, const positions::Performer& options) {
  const bool rotates_features = options.rotates && options.rotated == positions::Performer::Rotated::features;
  const auto width = static_cast<double>(spec.head_dim());
  const auto usual = static_cast<std::size_t>(std::max(1.0, std::floor(width * std::log(width))));
  // Pairs rotate.
  const std::size_t features = options.features.value_or(rotates_features ? (usual + 1) / 2 * 2 : usual);
  if (features < 1 || features > most_features) {
    return out_of_range(spec.family, "performer_features", features, "a whole number from 1 to 65536");
  }
  ROPEWALK_LET(rope,
               rotation_options(spec, options, features, options.rotates ? "rope-performer" : "performer"));
  ROPEWALK_LET(rotation, Rotation::make(rope, options.values ? 3 : 2));
  std::vector<Directions> layers;
  ROPEWALK_TRY(make_directions(spec, options, features, layers));
  return std::unique_ptr<PositionEncoding>(
      std::make_unique<RopePerformer>(std::move(rotation), std::move(layers), features, spec.head_dim(),
                                      rotates_features, spec.attention.causal));
}

}  // namespace ropewalk::model::position_encoding
