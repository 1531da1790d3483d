#include "base/text.hpp"
#include "model/position_encoding/kinds.hpp"

#include <algorithm>
#include <cstring>

#include "model/position_encoding/feature_attention.hpp"
#include "model/position_encoding/padding.hpp"
#include "model/position_encoding/rope_options.hpp"
#include "model/position_encoding/rotation.hpp"
#include "nn/scratch.hpp"

namespace ropewalk::model::position_encoding {
namespace {

/// phi(x) = elu(x) + 1 = exp(min(x, 0)) + max(x, 0), in place. `powers` has room for x.
void feature_map(nn::Compute compute, float* x, std::size_t count, float* powers) {
  for (std::size_t i = 0; i < count; ++i) powers[i] = std::min(x[i], 0.0F);
  compute.dense().exp(powers, powers, count);
  for (std::size_t i = 0; i < count; ++i) x[i] = powers[i] + std::max(x[i], 0.0F);
}

/// phi'(x), from phi(x): e^x below 0, where phi is the same, and 1 above.
float feature_map_slope(float phi) { return std::min(phi, 1.0F); }

/// features (B,T,3,H,D), not rotated. key_sums (B,H,D) = sum_j phi(k_j); denominators (B,T,H), if causal of the sums so
/// far.
void denominators(nn::Compute compute, float* denominators, float* key_sums, const float* features,
                  const nn::AttentionShape& shape, bool causal) {
  const std::size_t hidden = shape.heads * shape.head_dim;
  std::fill_n(key_sums, shape.batch * hidden, 0.0F);
  const auto add_key = [&](std::size_t m) {
    compute.dense().add(features + (3 * m + 1) * hidden, key_sums + m / shape.tokens * hidden, hidden);
  };
  for (std::size_t m = 0; !causal && m < shape.batch * shape.tokens; ++m) add_key(m);
  for (std::size_t m = 0; m < shape.batch * shape.tokens; ++m) {
    if (causal) add_key(m);
    const float *q = features + 3 * m * hidden, *sum = key_sums + m / shape.tokens * hidden;
    for (std::size_t h = 0; h < shape.heads; ++h, q += shape.head_dim, sum += shape.head_dim) {
      double dot = 0;
      for (std::size_t d = 0; d < shape.head_dim; ++d) dot += double{q[d]} * sum[d];
      denominators[m * shape.heads + h] = static_cast<float>(dot);
    }
  }
}

FeatureAttention one_head(nn::Compute compute, const float* qkv, const float* denominators,
                          const nn::AttentionShape& shape, std::size_t batch, std::size_t head, bool causal) {
  const std::size_t hidden = shape.heads * shape.head_dim;
  const auto token = static_cast<std::ptrdiff_t>(3 * hidden);
  const float* q = qkv + batch * shape.tokens * 3 * hidden + head * shape.head_dim;
  return {.compute = compute,
          .tokens = shape.tokens,
          .features = shape.head_dim,
          .head_dim = shape.head_dim,
          .q = q,
          .k = q + hidden,
          .q_stride = token,
          .k_stride = token,
          .v = q + 2 * hidden,
          .v_stride = token,
          .denominator = denominators + batch * shape.tokens * shape.heads + head,
          .denominator_stride = static_cast<std::ptrdiff_t>(shape.heads),
          .causal = causal};
}

class RopeLinearAttention final : public PositionEncoding {
 public:
  explicit RopeLinearAttention(Rotation rotation) : rotation_(std::move(rotation)) {}

  Status prepare(nn::Compute compute, std::size_t tokens) override {
    return rotation_.prepare(compute, tokens, probe_);
  }
  bool needs_probs() const override { return false; }
  bool has_scores() const override { return false; }

  // Leaves R phi(q), R phi(k), v. The keys of padding become 0, with which they are in neither sum.
  void attend(const Attention& pass) const override {
    const nn::AttentionShape& shape = pass.shape;
    const std::size_t tokens = shape.tokens, hidden = shape.heads * shape.head_dim;
    float* const dens = pass.scratch;                                                      // (B,T,H)
    float* const key_sums = dens + nn::scratch_lines(shape.batch * tokens * shape.heads);  // (B,H,D)
    float* const rest = key_sums + nn::scratch_lines(shape.batch * hidden);                // at least 2 H D
    for (std::size_t b = 0; b < shape.batch; ++b) {
      const std::uint8_t* keys = padding(pass.terms, b, tokens);
      for (std::size_t t = 0; t < tokens; ++t) {
        float* const q = pass.qkv + (b * tokens + t) * 3 * hidden;
        feature_map(pass.compute, q, 2 * hidden, rest);
        if (keys != nullptr && keys[t] == 0) std::fill_n(q + hidden, hidden, 0.0F);
      }
    }
    const bool causal = is_causal(shape, pass.terms);
    denominators(pass.compute, dens, key_sums, pass.qkv, shape, causal);
    rotation_.rotate(pass.compute, pass.qkv, shape);
    for (std::size_t b = 0; b < shape.batch; ++b) {
      for (std::size_t h = 0; h < shape.heads; ++h) {
        const FeatureAttention head = one_head(pass.compute, pass.qkv, dens, shape, b, h, causal);
        feature_attention_forward(pass.context + b * tokens * hidden + h * shape.head_dim,
                                  static_cast<std::ptrdiff_t>(hidden), head, rest);
        if (pass.probs == nullptr) continue;
        feature_attention_weights(pass.probs + (b * shape.heads + h) * tokens * tokens, head, rest);
      }
    }
  }

  // dphi(q_i) = R_i^T dq_i + dden_i sum_j phi(k_j), dphi(k_j) = R_j^T dk_j + sum_i dden_i phi(q_i), if causal with the
  // sums over j <= i and over i >= j.
  void attend_backward(const AttentionGradient& pass) const override {
    const nn::AttentionShape& shape = pass.shape;
    const std::size_t tokens = shape.tokens, head_dim = shape.head_dim, hidden = shape.heads * head_dim;
    const std::size_t m = shape.batch * tokens;
    float* const features = pass.scratch;                                         // (B,T,3,H,D), not rotated
    float* const dens = features + nn::scratch_lines(m * 3 * hidden);             // (B,T,H)
    float* const ddens = dens + nn::scratch_lines(m * shape.heads);               // (B,T,H)
    float* const key_sums = ddens + nn::scratch_lines(m * shape.heads);           // (B,H,D)
    float* const dkey_sums = key_sums + nn::scratch_lines(shape.batch * hidden);  // (B,H,D)
    float* const rest = dkey_sums + nn::scratch_lines(shape.batch * hidden);
    std::memcpy(features, pass.qkv, m * 3 * hidden * sizeof(float));
    rotation_.undo(pass.compute, features, shape);
    const bool causal = is_causal(shape, pass.terms);
    denominators(pass.compute, dens, key_sums, features, shape, causal);
    for (std::size_t b = 0; b < shape.batch; ++b) {
      for (std::size_t h = 0; h < shape.heads; ++h) {
        const FeatureAttention head = one_head(pass.compute, pass.qkv, dens, shape, b, h, causal);
        float* const dq = pass.dqkv + (head.q - pass.qkv);
        feature_attention_backward({.dcontext = pass.dcontext + b * tokens * hidden + h * head_dim,
                                    .dcontext_stride = static_cast<std::ptrdiff_t>(hidden),
                                    .dq = dq,
                                    .dk = dq + hidden,
                                    .dv = dq + 2 * hidden,
                                    .dq_stride = head.q_stride,
                                    .dk_stride = head.k_stride,
                                    .dv_stride = head.v_stride,
                                    .ddenominator = ddens + (head.denominator - dens)},
                                   head, rest);
      }
    }
    rotation_.pull_back(pass.compute, pass.dqkv, shape);

    const auto& dense = pass.compute.dense();
    std::fill_n(dkey_sums, shape.batch * hidden, 0.0F);
    if (causal) std::fill_n(key_sums, shape.batch * hidden, 0.0F);
    const auto add_query = [&](std::size_t row) {
      for (std::size_t h = 0, at = 0; h < shape.heads; ++h, at += head_dim) {
        dense.axpy(ddens[row * shape.heads + h], features + 3 * row * hidden + at,
                   dkey_sums + row / tokens * hidden + at, head_dim);
      }
    };
    for (std::size_t row = 0; row < m; ++row) {
      const std::size_t q = 3 * row * hidden, sum = row / tokens * hidden;
      if (causal) dense.add(features + q + hidden, key_sums + sum, hidden);
      for (std::size_t h = 0, at = 0; h < shape.heads; ++h, at += head_dim)
        dense.axpy(ddens[row * shape.heads + h], key_sums + sum + at, pass.dqkv + q + at, head_dim);
      if (!causal) add_query(row);
    }
    for (std::size_t row = m; row-- > 0;) {
      const std::size_t q = 3 * row * hidden;
      if (causal) add_query(row);
      dense.add(dkey_sums + row / tokens * hidden, pass.dqkv + q + hidden, hidden);
      for (std::size_t i = q; i < q + 2 * hidden; ++i) pass.dqkv[i] *= feature_map_slope(features[i]);
    }
  }

  std::size_t forward_scratch(const nn::AttentionShape& shape, bool with_probs) const override {
    const std::size_t tokens = shape.tokens, hidden = shape.heads * shape.head_dim;
    std::size_t rest = std::max(feature_attention_forward_scratch(tokens, shape.head_dim, shape.head_dim),
                                nn::scratch_lines(2 * hidden));
    if (with_probs) rest = std::max(rest, feature_attention_weights_scratch(tokens, shape.head_dim));
    return nn::scratch_lines(shape.batch * tokens * shape.heads) + nn::scratch_lines(shape.batch * hidden) +
           rest;
  }
  std::size_t backward_scratch(const nn::AttentionShape& shape) const override {
    const std::size_t m = shape.batch * shape.tokens, hidden = shape.heads * shape.head_dim;
    return nn::scratch_lines(m * 3 * hidden) + 2 * nn::scratch_lines(m * shape.heads) +
           2 * nn::scratch_lines(shape.batch * hidden) +
           feature_attention_backward_scratch(shape.tokens, shape.head_dim, shape.head_dim);
  }

 private:
  Rotation rotation_;
  Buffer<float> probe_;
};

}  // namespace

Made make_rope_linear_attention(const Spec& spec, const positions::LinearAttention& options) {
  const std::string_view name = options.rotates ? "rope-linear-attention" : "linear-attention";
  ROPEWALK_LET(rope, options.rotates ? rope_options(spec, options.rope, name) : still_options(spec, name));
  ROPEWALK_LET(rotation, Rotation::make(rope, options.values ? 3 : 2));
  return std::unique_ptr<PositionEncoding>(std::make_unique<RopeLinearAttention>(std::move(rotation)));
}

}  // namespace ropewalk::model::position_encoding
