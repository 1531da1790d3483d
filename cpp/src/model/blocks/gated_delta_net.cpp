#include "model/blocks/gated_delta_net.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "model/blocks/short_convolution.hpp"
#include "nn/activation.hpp"
#include "nn/delta_rule.hpp"
#include "nn/gated.hpp"
#include "nn/softplus.hpp"

namespace ropewalk::model {

GatedDeltaNet::GatedDeltaNet(Builder builder, const Spec& spec)
    : layer_(builder.layer().value_or(0)),
      own_(spec.gated_delta_net),
      channels_(own_.channels()),
      values_(own_.value_heads * own_.value_dim),
      in_(builder,
          {{"delta_net.in", channels_},
           {"delta_net.gate", values_},
           {"delta_net.beta", own_.value_heads},
           {"delta_net.decay", own_.value_heads}},
          spec.hidden, false),
      weight_(builder.channels("delta_net.convolution", channels_, own_.width)),
      decay_log_(builder.vector("delta_net.decay_log", "", own_.value_heads, parameters::Initial::zeros)),
      decay_bias_(builder.vector("delta_net.decay_bias", "", own_.value_heads, parameters::Initial::ones)),
      norm_(builder, "delta_net.norm", own_.value_dim,
            {.kind = NormKind::rms, .eps = spec.norm.eps, .bias = false}),
      out_(builder, "delta_net.out", spec.hidden, values_, false),
      split_(builder.slot()),
      inputs_(builder.slot()),
      convolved_(builder.slot()),
      rates_(builder.slot()),
      state_(builder.slot()) {}

Status GatedDeltaNet::pack(const Packing& packing) {
  ROPEWALK_TRY(in_.pack(packing));
  return out_.pack(packing);
}

void GatedDeltaNet::plan(Plan& plan) const {
  plan.lend(split_, {plan.batch(), plan.tokens(), in_.outputs()});
  plan.lend(inputs_, {own_.width - 1 + plan.tokens(), channels_});
  plan.lend(convolved_, {plan.batch(), plan.tokens(), channels_});
  plan.lend(rates_, {3, plan.batch(), plan.tokens(), own_.value_heads});
  plan.lend(state_, {own_.state()});
}

void GatedDeltaNet::rates(const Pass& pass) const {
  const std::size_t heads = own_.value_heads, count = pass.rows() * heads;
  float *const beta = pass.at(rates_), *const decay = beta + count, *const rest = decay + count;
  const float* const bias = pass.parameter(decay_bias_);
  for (std::size_t i = 0; i < count; ++i) {
    const float* const own = pass.at(split_) + i / heads * in_.outputs() + channels_ + values_;
    beta[i] = own[i % heads];
    decay[i] = own[heads + i % heads] + bias[i % heads];
  }
  nn::activation_forward(pass.compute, nn::Activation::sigmoid, beta, beta, count);
  nn::softplus(pass.compute, decay, rest, decay, count);
  const auto exp = pass.compute.dense().exp;
  exp(pass.parameter(decay_log_), rest, heads);
  for (std::size_t i = 0; i < count; ++i) decay[i] *= -rest[i % heads];
  exp(decay, decay, count);
}

void GatedDeltaNet::forward(const Pass& pass, float* y, const float* x) const {
  const std::size_t tokens = pass.tokens, before = (own_.width - 1) * channels_, width = in_.outputs();
  float *const split = pass.at(split_), *const convolved = pass.at(convolved_);
  float *const inputs = pass.at(inputs_), *const beta = pass.at(rates_);
  const std::size_t heads = own_.value_heads;
  in_.forward(pass, split, x, pass.rows());
  rates(pass);
  for (std::size_t s = 0; s < pass.batch; ++s) {
    float* const own = split + s * tokens * width;
    float* const convolved_here = convolved + s * tokens * channels_;
    // The inputs of the convolution, then the state of the rule.
    float* state = pass.at(state_);
    if (pass.cache != nullptr) {
      state = pass.cache->state(layer_);
    } else {
      std::fill_n(state, own_.state(), 0.0F);
    }
    std::copy_n(state, before, inputs);
    for (std::size_t t = 0; t < tokens; ++t)
      std::copy_n(own + t * width, channels_, inputs + before + t * channels_);
    std::copy_n(inputs + tokens * channels_, before, state);
    convolve(convolved_here, inputs, pass.parameter(weight_), nullptr, tokens, channels_, own_.width);
    nn::activation_forward(pass.compute, own_.activation, convolved_here, convolved_here, tokens * channels_);
    const float* const here = beta + s * tokens * heads;
    // The outputs stand where the inputs stood, in rows with their gates.
    nn::delta_rule(pass.compute, own, state + before, convolved_here, here + pass.rows() * heads, here,
                   {.tokens = tokens,
                    .key_heads = own_.key_heads,
                    .value_heads = heads,
                    .key_dim = own_.key_dim,
                    .value_dim = own_.value_dim,
                    .y_token = width});
  }
  const nn::HeadStrides strides{.token = width, .head = own_.value_dim};
  norm_.forward_heads(
      pass, split, split,
      {.tokens = pass.rows(), .heads = heads, .head_dim = own_.value_dim, .x = strides, .y = strides});
  nn::gated_forward(pass.compute, nn::Activation::silu, convolved, split + channels_, split, width,
                    pass.rows(), values_);
  out_.forward(pass, y, convolved, pass.rows());
}

}  // namespace ropewalk::model
