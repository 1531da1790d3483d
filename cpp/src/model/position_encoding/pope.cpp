#include "model/position_encoding/kinds.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/buffer.hpp"
#include "base/text.hpp"
#include "model/position_encoding/one_sequence.hpp"
#include "model/position_encoding/rope_options.hpp"
#include "model/position_encoding/rotation.hpp"
#include "nn/scratch.hpp"
#include "nn/softplus.hpp"

namespace ropewalk::model::position_encoding {
namespace {

constexpr double lowest_phase = -2 * std::numbers::pi;

class Pope final : public PositionEncoding {
 public:
  Pope(Rotation rotation, std::size_t heads, std::size_t head_dim)
      : rotation_(std::move(rotation)), heads_(heads), head_dim_(head_dim) {}

  void add_layer_parameters(Builder& builder) override {
    layers_.emplace_back().phase = builder.of_positions("attention.polar_bias", "", {heads_, head_dim_},
                                                        parameters::Initial::zeros, false);
  }

  // cos and sin of the phases, without an allocation but the first: a trainer calls this after each step.
  Status update(nn::Compute compute, const float* parameters) override {
    const std::size_t size = heads_ * head_dim_;
    ROPEWALK_TRY(angles_.reserve(4 * size, "roformer: polar_bias"));
    double *const ones = angles_.data(), *const phases = ones + size, *const re = phases + size;
    std::fill_n(ones, size, 1.0);
    for (Layer& layer : layers_) {
      ROPEWALK_TRY(layer.phasors.reserve(2 * size, "roformer: polar_bias"));
      for (std::size_t c = 0; c < size; ++c) {
        const double phase = parameters[layer.phase + c];
        if (!std::isfinite(phase))
          return out_of_range("roformer", "polar_bias", phase, "finite numbers, of which -2 pi to 0 count");
        phases[c] = std::clamp(phase, lowest_phase, 0.0);
      }
      compute.kernels().table.phasors(ones, phases, size, {re, re + size});
      std::transform(re, re + 2 * size, layer.phasors.data(), [](double x) { return static_cast<float>(x); });
    }
    return {};
  }

  Status prepare(nn::Compute compute, std::size_t tokens) override {
    return rotation_.prepare(compute, tokens, probe_);
  }

  void attend(const Attention& pass) const override {
    const Places at(*this, pass.shape, pass.scratch, false);
    const std::size_t tokens = pass.shape.tokens, square = heads_ * tokens * tokens;
    for (std::size_t b = 0; b < pass.shape.batch; ++b) {
      widen(pass.compute, at, pass.qkv + b * tokens * pass.shape.token_stride, pass.layer, pass.shape);
      Attention wide = pass;
      wide.shape = wide_shape(pass.shape, b);
      wide.terms = of_sequence(pass.terms, pass.shape, b);
      wide.qkv = at.qkv;
      wide.context = at.context;
      wide.probs = pass.probs == nullptr ? nullptr : pass.probs + b * square;
      wide.scratch = at.rest;
      PositionEncoding::attend(wide);
      for (std::size_t row = 0; row < tokens * heads_; ++row) {
        std::copy_n(at.context + row * 2 * head_dim_, head_dim_,
                    pass.context + (b * tokens * heads_ + row) * head_dim_);
      }
    }
  }

  void attend_backward(const AttentionGradient& pass) const override {
    const Places at(*this, pass.shape, pass.scratch, true);
    const std::size_t tokens = pass.shape.tokens, square = heads_ * tokens * tokens;
    double* const dphase = reinterpret_cast<double*>(at.dphase);  // (H,D)
    std::fill_n(dphase, heads_ * head_dim_, 0.0);
    for (std::size_t b = 0; b < pass.shape.batch; ++b) {
      const std::size_t first = b * tokens * pass.shape.token_stride;
      widen(pass.compute, at, pass.qkv + first, pass.layer, pass.shape);
      for (std::size_t row = 0; row < tokens * heads_; ++row) {
        float* const dcontext = at.context + row * 2 * head_dim_;
        std::copy_n(pass.dcontext + (b * tokens * heads_ + row) * head_dim_, head_dim_, dcontext);
        std::fill_n(dcontext + head_dim_, head_dim_, 0.0F);
      }
      AttentionGradient wide = pass;
      wide.shape = wide_shape(pass.shape, b);
      wide.qkv = at.qkv;
      wide.probs = pass.probs + b * square;
      wide.dcontext = at.context;
      wide.dqkv = at.dqkv;
      wide.scratch = at.rest;
      PositionEncoding::attend_backward(wide);
      rotation_.pull_back(pass.compute, at.dqkv, wide.shape);
      narrow(pass.compute, at, pass.dqkv + first, pass.qkv + first, pass.layer, pass.shape, dphase);
    }
    const std::uint64_t phase = layers_[pass.layer].phase;
    for (std::size_t c = 0; c < heads_ * head_dim_; ++c) {
      // Beyond the limits a phase has no effect.
      const double value = pass.parameters[phase + c];
      if (value >= lowest_phase && value <= 0) pass.gradients[phase + c] += static_cast<float>(dphase[c]);
    }
  }

  std::size_t forward_scratch(const nn::AttentionShape& shape, bool with_probs) const override {
    return Places(*this, shape, nullptr, false).size +
           PositionEncoding::forward_scratch(wide_shape(shape, 0), with_probs);
  }
  std::size_t backward_scratch(const nn::AttentionShape& shape) const override {
    return Places(*this, shape, nullptr, true).size +
           PositionEncoding::backward_scratch(wide_shape(shape, 0));
  }

 private:
  struct Layer {
    std::uint64_t phase = 0;  // (H,D)
    Buffer<float> phasors;    // (2,H,D): cos and sin of the phases
  };

  /// Places in the scratch of a sequence.
  struct Places {
    float *qkv, *dqkv;   // (T,3H,2D)
    float* context;      // (T,H,2D), or its gradient
    float *mu, *slopes;  // (2HD), of the queries and keys of a token
    float* dphase;       // (H,D) in float64
    float* rest;
    std::size_t size = 0;

    Places(const Pope& pope, const nn::AttentionShape& shape, float* scratch, bool backward) {
      const std::size_t hidden = pope.heads_ * pope.head_dim_;
      const auto take = [&](std::size_t count) {
        float* const part = scratch == nullptr ? nullptr : scratch + size;
        size += nn::scratch_lines(count);
        return part;
      };
      qkv = take(6 * shape.tokens * hidden);
      dqkv = take(backward ? 6 * shape.tokens * hidden : 0);
      context = take(2 * shape.tokens * hidden);
      mu = take(2 * hidden);
      slopes = take(2 * hidden);
      dphase = take(backward ? 2 * hidden : 0);
      rest = take(0);
    }
  };

  nn::AttentionShape wide_shape(const nn::AttentionShape& shape, std::size_t b) const {
    nn::AttentionShape wide = of_sequence(shape, b);
    wide.head_dim = 2 * head_dim_;
    wide.token_stride = 6 * heads_ * head_dim_;
    return wide;
  }

  /// Heads of a sequence twice as wide, in halves: queries (softplus(q), 0) and keys softplus(k) (cos delta, sin delta),
  /// rotated, and values (v, 0), whose second half nothing reads.
  void widen(nn::Compute compute, const Places& at, const float* qkv, std::size_t layer,
             const nn::AttentionShape& shape) const {
    const std::size_t hidden = heads_ * head_dim_;
    const float *const cos = layers_[layer].phasors.data(), *const sin = cos + hidden;
    for (std::size_t t = 0; t < shape.tokens; ++t) {
      const float* const token = qkv + t * shape.token_stride;
      nn::softplus(compute, at.mu, at.slopes, token, 2 * hidden);
      float* const out = at.qkv + t * 6 * hidden;
      std::fill_n(out, 6 * hidden, 0.0F);
      for (std::size_t c = 0; c < hidden; ++c) {
        const std::size_t wide = c / head_dim_ * 2 * head_dim_ + c % head_dim_;
        float* const key = out + 2 * hidden + wide;
        out[wide] = at.mu[c];
        key[0] = at.mu[hidden + c] * cos[c];
        key[head_dim_] = at.mu[hidden + c] * sin[c];
        out[4 * hidden + wide] = token[2 * hidden + c];
      }
    }
    rotation_.rotate(compute, at.qkv, wide_shape(shape, 0));
  }

  /// From the gradient of what widen made, before it rotated, to that of the projections and of the phases.
  void narrow(nn::Compute compute, const Places& at, float* dqkv, const float* qkv, std::size_t layer,
              const nn::AttentionShape& shape, double* dphase) const {
    const std::size_t hidden = heads_ * head_dim_;
    const float *const cos = layers_[layer].phasors.data(), *const sin = cos + hidden;
    for (std::size_t t = 0; t < shape.tokens; ++t) {
      const float* const dwide = at.dqkv + t * 6 * hidden;
      float* const out = dqkv + t * shape.token_stride;
      nn::softplus(compute, at.mu, at.slopes, qkv + t * shape.token_stride, 2 * hidden);
      for (std::size_t c = 0; c < hidden; ++c) {
        const std::size_t wide = c / head_dim_ * 2 * head_dim_ + c % head_dim_;
        const float* const dkey = dwide + 2 * hidden + wide;
        out[c] = dwide[wide] * at.slopes[c];
        out[hidden + c] = (dkey[0] * cos[c] + dkey[head_dim_] * sin[c]) * at.slopes[hidden + c];
        out[2 * hidden + c] = dwide[4 * hidden + wide];
        dphase[c] +=
            double{at.mu[hidden + c]} * (double{dkey[head_dim_]} * cos[c] - double{dkey[0]} * sin[c]);
      }
    }
  }

  Rotation rotation_;
  std::size_t heads_, head_dim_;
  std::vector<Layer> layers_;
  Buffer<float> probe_;
  Buffer<double> angles_;  // (4,H,D): ones, phases, their cos and sin
};

}  // namespace

Made make_pope(const Spec& spec, const positions::Pope& options) {
  ROPEWALK_LET(wide, rope_options(spec, options.rope, "pope"));
  if (wide.rotary_dim.value_or(wide.head_dim) != wide.head_dim) {
    return out_of_range(spec.family, "rotary_dim", *wide.rotary_dim,
                        "with `position_encoding` \"pope\", the whole head");
  }
  wide.head_dim *= 2;
  wide.rotary_dim = std::nullopt;
  wide.pairing = Pairing::half;
  ROPEWALK_LET(rotation, Rotation::make(wide, 2));
  return std::unique_ptr<PositionEncoding>(
      std::make_unique<Pope>(std::move(rotation), spec.attention.heads, spec.head_dim()));
}

}  // namespace ropewalk::model::position_encoding
