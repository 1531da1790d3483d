#include "model/position_encoding/kinds.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/elementary.hpp"
#include "base/text.hpp"
#include "model/position_encoding/learned_rotation.hpp"
#include "model/position_encoding/rope_options.hpp"
#include "nn/scratch.hpp"

namespace ropewalk::model::position_encoding {
namespace {

/// The receptive field of rho: what alpha mixes into each theta_j.
double shared_theta(double rho) { return power(10000, -rho); }

class ReceptiveField final : public PositionEncoding {
 public:
  ReceptiveField(RopeOptions options, const Rope& rope, std::size_t heads, std::size_t parts)
      : options_(std::move(options)),
        theta_(rope.frequencies().begin(), rope.frequencies().end()),
        heads_(heads),
        parts_(parts) {}

  void add_layer_parameters(Builder& builder) override {
    using parameters::Initial;
    Layer layer;
    layer.alpha = builder.of_positions("attention.rotary_alpha", "", {heads_}, Initial::zeros, false);
    layer.rho = builder.of_positions("attention.rotary_rho", "", {heads_}, Initial::halves, false);
    layers_.push_back(std::move(layer));
  }

  Status update(nn::Compute, const float* parameters) override {
    for (Layer& layer : layers_) {
      mixed_.clear();
      for (std::size_t h = 0; h < heads_; ++h) {
        const double alpha = parameters[layer.alpha + h], shared = shared_theta(parameters[layer.rho + h]);
        for (const double theta : theta_) mixed_.push_back(alpha * shared + (1 - alpha) * theta);
        if (!std::isfinite(mixed_.back())) {
          return out_of_range("roformer", "rotary_alpha` or `rotary_rho", mixed_.back(),
                              "numbers that give finite frequencies");
        }
      }
      if (layer.rotation == nullptr) {
        ROPEWALK_LET(made, LearnedRotation::make(options_, heads_, parts_));
        layer.rotation = std::move(made);
      }
      layer.rotation->set_frequencies(mixed_);
    }
    return {};
  }

  Status prepare(nn::Compute, std::size_t tokens) override {
    for (Layer& layer : layers_) {
      ROPEWALK_TRY(layer.rotation->prepare(tokens));
    }
    return {};
  }

  void attend(const Attention& pass) const override {
    layers_[pass.layer].rotation->rotate(pass.compute, pass.qkv, pass.shape);
    PositionEncoding::attend(pass);
  }

  // With G_j = dL/dtheta*_j: dalpha = sum_j G_j (10000^-rho - theta_j),
  // drho = -alpha ln(10000) 10000^-rho sum_j G_j.
  void attend_backward(const AttentionGradient& pass) const override {
    const Layer& layer = layers_[pass.layer];
    PositionEncoding::attend_backward(pass);
    double* const dtheta = reinterpret_cast<double*>(pass.scratch);  // (H,d/2)
    theta_gradients(pass, dtheta);
    for (std::size_t h = 0; h < heads_; ++h) {
      const double alpha = pass.parameters[layer.alpha + h];
      const double shared = shared_theta(pass.parameters[layer.rho + h]);
      double dalpha = 0, drho = 0;
      for (std::size_t j = 0; j < theta_.size(); ++j) {
        const double g = dtheta[h * theta_.size() + j];
        dalpha += g * (shared - theta_[j]);
        drho -= g * alpha * std::log(10000.0) * shared;
      }
      pass.gradients[layer.alpha + h] += static_cast<float>(dalpha);
      pass.gradients[layer.rho + h] += static_cast<float>(drho);
    }
    layer.rotation->pull_back(pass.compute, pass.dqkv, pass.shape);
  }

  std::size_t backward_scratch(const nn::AttentionShape& shape) const override {
    constexpr std::size_t floats = sizeof(double) / sizeof(float);
    return std::max(PositionEncoding::backward_scratch(shape),
                    nn::scratch_lines(floats * heads_ * theta_.size()));
  }

 private:
  struct Layer {
    std::uint64_t alpha = 0, rho = 0;  // (H) each
    std::unique_ptr<LearnedRotation> rotation;
  };

  // dL/dphi of a pair that became (a, b) is db a - da b, and phi = m theta: the sum over B, T and what
  // rotates.
  void theta_gradients(const AttentionGradient& pass, double* dtheta) const {
    const bool interleaved = options_.pairing == Pairing::interleaved;
    const std::size_t pairs = theta_.size(), head_dim = pass.shape.head_dim, hidden = heads_ * head_dim;
    const std::size_t step = interleaved ? 2 : 1, other = interleaved ? 1 : pairs;
    std::fill_n(dtheta, heads_ * pairs, 0.0);
    for (std::size_t m = 0; m < pass.shape.batch * pass.shape.tokens; ++m) {
      const auto position = static_cast<double>(m % pass.shape.tokens);
      for (std::size_t row = 0; row < parts_ * heads_; ++row) {
        const std::size_t at = 3 * m * hidden + row * head_dim;
        const float *y = pass.qkv + at, *dy = pass.dqkv + at;
        double* const sum = dtheta + row % heads_ * pairs;
        for (std::size_t j = 0; j < pairs; ++j) {
          const std::size_t a = step * j, b = a + other;
          sum[j] += position * (double{dy[b]} * y[a] - double{dy[a]} * y[b]);
        }
      }
    }
  }

  RopeOptions options_;
  std::vector<double> theta_;  // (d/2), of all heads
  std::vector<double> mixed_;  // (H,d/2), of a layer
  std::size_t heads_, parts_;
  std::vector<Layer> layers_;
};

}  // namespace

Made make_rope_receptive_field(const Spec& spec, const positions::RopeReceptiveField& options) {
  ROPEWALK_LET(checked, rope_options(spec, options.rope, "rope-receptive-field"));
  const Result<Rope> rope = Rope::make(checked);
  if (!rope.ok()) return rope.status();
  if (rope.value().frequencies().size() != rope.value().rotary_dim() / 2 ||
      std::holds_alternative<frequencies::Dynamic>(checked.frequencies) ||
      std::holds_alternative<frequencies::LongRope>(checked.frequencies)) {
    return Status::unsupported(
        "roformer: `rope_scaling` has frequencies by head or by sequence length; allowed with "
        "`position_encoding` \"rope-receptive-field\": one set for all, from which heads learn their own");
  }
  return std::unique_ptr<PositionEncoding>(std::make_unique<ReceptiveField>(
      std::move(checked), rope.value(), spec.attention.heads, options.values ? 3 : 2));
}

}  // namespace ropewalk::model::position_encoding
