#include "model/position_encoding/rope_performer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "arch/select.hpp"
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

constexpr float least = 1e-4F;
constexpr std::size_t most_features = 1 << 16;

/// Random directions w (F,D) of one layer, with the factor D^(-1/4) in them, packed for x w^T and for gradients
/// times w.
struct Directions {
  Buffer<float> w;
  nn::PackedWeight forward, backward;
};

class RopePerformer final : public PositionEncoding {
 public:
  RopePerformer(Rotation rotation, std::vector<Directions> layers, std::size_t features, std::size_t head_dim)
      : rotation_(std::move(rotation)),
        layers_(std::move(layers)),
        features_(features),
        head_dim_(head_dim) {}

  // Nothing is learned, but the packing is that of the kernels in use.
  Status update(const float*) override {
    for (Directions& layer : layers_) {
      for (Status status : {layer.forward.pack(layer.w.data(), features_, head_dim_),
                            layer.backward.pack_transposed(layer.w.data(), features_, head_dim_)}) {
        if (!status.ok()) return status;
      }
    }
    return {};
  }
  Status prepare(std::size_t tokens) override { return rotation_.prepare(tokens, probe_); }
  bool needs_probs() const override { return false; }
  bool has_scores() const override { return false; }

  void attend(const Attention& pass) const override {
    const nn::AttentionShape& shape = pass.shape;
    const std::size_t tokens = shape.tokens, hidden = shape.heads * head_dim_;
    const OneHead parts = place(pass.scratch, tokens);
    float* const rest = parts.end;
    rotation_.rotate(pass.qkv, shape);
    for (std::size_t b = 0; b < shape.batch; ++b) {
      const std::uint8_t* keys = padding(pass.terms, b, tokens);
      for (std::size_t h = 0; h < shape.heads; ++h) {
        const float* q = pass.qkv + b * tokens * 3 * hidden + h * head_dim_;
        const FeatureAttention head = map(layers_[pass.layer], parts, q, keys, shape);
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
    const auto& dense = arch::active().dense;
    const auto row = static_cast<std::ptrdiff_t>(features_);
    const OneHead parts = place(pass.scratch, tokens);
    const OneHead gradients = place(parts.end, tokens);
    float* const rest = gradients.end;
    for (std::size_t b = 0; b < shape.batch; ++b) {
      const std::uint8_t* keys = padding(pass.terms, b, tokens);
      for (std::size_t h = 0; h < shape.heads; ++h) {
        const std::size_t at = b * tokens * 3 * hidden + h * head_dim_;
        const FeatureAttention head = map(layers_[pass.layer], parts, pass.qkv + at, keys, shape);
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
        // The denominator: den_i = phi(q_i) . sum, sum = sum_j phi(k_j).
        std::fill_n(gradients.key_sum, features_, 0.0F);
        for (std::size_t t = 0; t < tokens; ++t) {
          dense.axpy(gradients.denominator[t], parts.key_sum, gradients.q + t * features_, features_);
          dense.axpy(gradients.denominator[t], parts.q + t * features_, gradients.key_sum, features_);
        }
        for (std::size_t t = 0; t < tokens; ++t) {
          dense.add(gradients.key_sum, gradients.k + t * features_, features_);
        }
        map_backward(layers_[pass.layer], dq, gradients.q, parts.q, pass.qkv + at, nullptr, shape);
        map_backward(layers_[pass.layer], dq + hidden, gradients.k, parts.k, pass.qkv + at + hidden, keys,
                     shape);
      }
    }
    rotation_.pull_back(pass.dqkv, shape);
  }

  std::size_t forward_scratch(const nn::AttentionShape& shape, bool with_probs) const override {
    std::size_t rest = feature_attention_forward_scratch(shape.tokens, features_, head_dim_);
    if (with_probs) rest = std::max(rest, feature_attention_weights_scratch(shape.tokens, features_));
    return head_scratch(shape.tokens) + rest;
  }
  std::size_t backward_scratch(const nn::AttentionShape& shape) const override {
    return 2 * head_scratch(shape.tokens) +
           feature_attention_backward_scratch(shape.tokens, features_, head_dim_);
  }

 private:
  /// Features of one head, or their gradients.
  struct OneHead {
    float *q, *k;        // (T,F)
    float* key_sum;      // (F)
    float* denominator;  // (T)
    float* end;
  };
  OneHead place(float* scratch, std::size_t tokens) const {
    OneHead head{};
    head.q = scratch;
    head.k = head.q + scratch_lines(tokens * features_);
    head.key_sum = head.k + scratch_lines(tokens * features_);
    head.denominator = head.key_sum + scratch_lines(features_);
    head.end = head.denominator + scratch_lines(tokens);
    return head;
  }
  std::size_t head_scratch(std::size_t tokens) const {
    return 2 * scratch_lines(tokens * features_) + scratch_lines(features_) + scratch_lines(tokens);
  }

  /// Features of the head whose rotated queries begin at q; keys and values follow, as in (B,T,3,H,D).
  FeatureAttention map(const Directions& layer, const OneHead& head, const float* q, const std::uint8_t* keys,
                       const nn::AttentionShape& shape) const {
    const std::size_t hidden = shape.heads * head_dim_, tokens = shape.tokens;
    exponents(layer, head.q, q, shape);
    for (std::size_t t = 0; t < tokens; ++t) {
      const float* row = head.q + t * features_;
      finish(head.q, q, t, *std::max_element(row, row + features_), shape);
    }
    exponents(layer, head.k, q + hidden, shape);
    float largest = -std::numeric_limits<float>::infinity();
    for (std::size_t t = 0; t < tokens; ++t) {
      if (keys != nullptr && keys[t] == 0) continue;
      const float* row = head.k + t * features_;
      largest = std::max(largest, *std::max_element(row, row + features_));
    }
    std::fill_n(head.key_sum, features_, 0.0F);
    for (std::size_t t = 0; t < tokens; ++t) {
      if (keys != nullptr && keys[t] == 0) {
        std::fill_n(head.k + t * features_, features_, 0.0F);
        continue;
      }
      finish(head.k, q + hidden, t, largest, shape);
      arch::active().dense.add(head.k + t * features_, head.key_sum, features_);
    }
    for (std::size_t t = 0; t < tokens; ++t) {
      double dot = 0;
      for (std::size_t f = 0; f < features_; ++f) dot += double{head.q[t * features_ + f]} * head.key_sum[f];
      head.denominator[t] = static_cast<float>(dot);
    }
    const auto row = static_cast<std::ptrdiff_t>(features_);
    return {.tokens = tokens,
            .features = features_,
            .head_dim = head_dim_,
            .q = head.q,
            .k = head.k,
            .q_stride = row,
            .k_stride = row,
            .v = q + 2 * hidden,
            .v_stride = static_cast<std::ptrdiff_t>(3 * hidden),
            .denominator = head.denominator,
            .denominator_stride = 1};
  }

  /// phi (T,F) = x w^T
  void exponents(const Directions& layer, float* phi, const float* x, const nn::AttentionShape& shape) const {
    layer.forward.kernels().gemm({.a = x,
                                  .a_row = static_cast<std::ptrdiff_t>(3 * shape.heads * head_dim_),
                                  .a_k = 1,
                                  .b = layer.forward.data(),
                                  .bias = nullptr,
                                  .c = phi,
                                  .c_row = static_cast<std::ptrdiff_t>(features_),
                                  .m = shape.tokens,
                                  .n = features_,
                                  .k = head_dim_,
                                  .accumulate = false});
  }

  /// Row t of phi, from x w^T to the features.
  void finish(float* phi, const float* x, std::size_t t, float largest,
              const nn::AttentionShape& shape) const {
    const float* from = x + t * 3 * shape.heads * head_dim_;
    float* const row = phi + t * features_;
    double square = 0;
    for (std::size_t d = 0; d < head_dim_; ++d) square += double{from[d]} * from[d];
    const auto shift = static_cast<float>(double{largest} + square * double{shape.scale} / 2);
    arch::active().dense.exp_shifted(row, shift, 1.0F, row, features_);
    for (std::size_t f = 0; f < features_; ++f) row[f] += least;
  }

  /// dx (T,D) from dphi (T,F), which becomes the gradient of the exponents.
  void map_backward(const Directions& layer, float* dx, float* dphi, const float* phi, const float* x,
                    const std::uint8_t* keys, const nn::AttentionShape& shape) const {
    const std::size_t token = 3 * shape.heads * head_dim_;
    for (std::size_t i = 0; i < shape.tokens * features_; ++i) {
      dphi[i] *= keys == nullptr || keys[i / features_] != 0 ? phi[i] - least : 0.0F;
    }
    layer.backward.kernels().gemm({.a = dphi,
                                   .a_row = static_cast<std::ptrdiff_t>(features_),
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
      for (std::size_t f = 0; f < features_; ++f) sum += dphi[t * features_ + f];
      arch::active().dense.axpy(static_cast<float>(-sum * double{shape.scale}), x + t * token, dx + t * token,
                                head_dim_);
    }
  }

  Rotation rotation_;
  std::vector<Directions> layers_;
  std::size_t features_, head_dim_;
  Buffer<float> probe_;
};

}  // namespace

Status performer_features(std::span<float> out, std::size_t features, std::size_t head_dim,
                          std::uint64_t seed, std::size_t layer) {
  return fill_orthogonal_features(out, features, head_dim, Random(seed).fork(layer).next());
}

Result<std::unique_ptr<PositionEncoding>> make_rope_performer(const Spec& spec,
                                                              const positions::Performer& options) {
  const std::string_view name = options.rotates ? "rope-performer" : "performer";
  if (Status status = refuse_decoder(spec, name); !status.ok()) return status;
  const Result<RopeOptions> rope =
      options.rotates ? rope_options(spec, options.rope, name) : still_options(spec, name);
  if (!rope.ok()) return rope.status();
  Result<Rotation> rotation = Rotation::make(rope.value(), options.values ? 3 : 2);
  if (!rotation.ok()) return rotation.status();
  const auto width = static_cast<double>(spec.head_dim());
  const std::size_t features =
      options.features.value_or(static_cast<std::size_t>(std::max(1.0, std::floor(width * std::log(width)))));
  if (features < 1 || features > most_features) {
    return out_of_range(spec.family, "performer_features", features, "a whole number from 1 to 65536");
  }
  const auto factor = static_cast<float>(std::pow(width, -0.25));
  std::vector<Directions> layers(spec.layers.size());
  for (std::size_t l = 0; l < layers.size(); ++l) {
    Buffer<float>& w = layers[l].w;
    if (Status status = w.allocate(features * spec.head_dim(), "roformer: random features"); !status.ok()) {
      return status;
    }
    Status status = performer_features(w.span(), features, spec.head_dim(), options.seed, l);
    if (!status.ok()) return status;
    for (float& each : w.span()) each *= factor;
  }
  return std::unique_ptr<PositionEncoding>(std::make_unique<RopePerformer>(
      std::move(rotation).value(), std::move(layers), features, spec.head_dim()));
}

}  // namespace ropewalk::model::position_encoding
