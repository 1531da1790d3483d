#include "model/blocks/short_convolution.hpp"

#include "base/text.hpp"

#include <algorithm>

namespace ropewalk::model {

void convolve(float* y, const float* x, const float* weight, const float* bias, std::size_t tokens,
              std::size_t channels, std::size_t width) {
  for (std::size_t t = 0; t < tokens; ++t, x += channels, y += channels) {
    for (std::size_t c = 0; c < channels; ++c) {
      float sum = bias == nullptr ? 0.0F : bias[c];
      for (std::size_t k = 0; k < width; ++k) sum += weight[c * width + k] * x[k * channels + c];
      y[c] = sum;
    }
  }
}

ShortConvolution::ShortConvolution(Builder builder, const Spec& spec)
    : layer_(builder.layer().value_or(0)),
      channels_(spec.hidden),
      width_(spec.short_convolution.width),
      in_(builder, "convolution.in", 3 * spec.hidden, spec.hidden, spec.short_convolution.bias),
      weight_(builder.channels("convolution.weights", spec.hidden, width_)),
      bias_(spec.short_convolution.bias
                ? builder.vector("convolution.weights", ".bias", spec.hidden, parameters::Initial::zeros)
                : absent),
      out_(builder, "convolution.out", spec.hidden, spec.hidden, spec.short_convolution.bias),
      split_(builder.slot()),
      inputs_(builder.slot()),
      convolved_(builder.slot()) {}

Status ShortConvolution::pack(const Packing& packing) {
  ROPEWALK_TRY(in_.pack(packing));
  return out_.pack(packing);
}

void ShortConvolution::plan(Plan& plan) const {
  plan.lend(split_, {plan.batch(), plan.tokens(), in_.outputs()});
  plan.lend(inputs_, {plan.batch(), width_ - 1 + plan.tokens(), channels_});
  plan.lend(convolved_, {plan.batch(), plan.tokens(), channels_});
}

void ShortConvolution::forward(const Pass& pass, float* y, const float* x) const {
  const std::size_t before = width_ - 1, tokens = pass.tokens;
  float *const split = pass.at(split_), *const convolved = pass.at(convolved_);
  const float *const weight = pass.parameter(weight_), *const bias = pass.parameter(bias_);
  in_.forward(pass, split, x, pass.rows());
  for (std::size_t s = 0; s < pass.batch; ++s) {
    float* const inputs = pass.at(inputs_) + s * (before + tokens) * channels_;
    const float* const own = split + s * tokens * 3 * channels_;
    for (std::size_t t = 0; t < tokens; ++t) {
      const float *const b = own + t * 3 * channels_, *const u = b + 2 * channels_;
      float* const input = inputs + (before + t) * channels_;
      for (std::size_t c = 0; c < channels_; ++c) input[c] = b[c] * u[c];
    }
    if (pass.cache != nullptr) {
      pass.cache->recall(layer_, before, tokens, inputs);
    } else {
      std::fill_n(inputs, before * channels_, 0.0F);
    }
    float* const out = convolved + s * tokens * channels_;
    convolve(out, inputs, weight, bias, tokens, channels_, width_);
    for (std::size_t t = 0; t < tokens; ++t) {
      const float* const gate = own + t * 3 * channels_ + channels_;
      for (std::size_t c = 0; c < channels_; ++c) out[t * channels_ + c] *= gate[c];
    }
  }
  out_.forward(pass, y, convolved, pass.rows());
}

}  // namespace ropewalk::model
