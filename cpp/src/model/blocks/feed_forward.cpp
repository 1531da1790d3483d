#include "model/blocks/feed_forward.hpp"

#include "base/text.hpp"
#include "nn/activation.hpp"
#include "nn/gated.hpp"

namespace ropewalk::model {
namespace {

std::size_t width_of_layer(const Builder& builder, const Spec& spec) {
  const std::size_t width = spec.layers[builder.layer().value_or(0)].width;
  return width == 0 ? spec.feed_forward.width : width;
}

Linear first_product(Builder& builder, const Spec& spec, std::size_t width) {
  const FeedForwardSpec& own = spec.feed_forward;
  if (!own.gated) return Linear(builder, "feed_forward.up", width, spec.hidden, own.bias, spec.transposed);
  if (own.packing != FeedForwardSpec::Packing::separate)
    return Linear(builder, "feed_forward.gate_up", 2 * width, spec.hidden, own.bias);
  return Linear(builder, {{"feed_forward.gate", width}, {"feed_forward.up", width}}, spec.hidden, own.bias);
}

}  // namespace

FeedForward::FeedForward(Builder builder, const Spec& spec)
    : activation_(spec.feed_forward.activation),
      gated_(spec.feed_forward.gated),
      gate_first_(spec.feed_forward.packing != FeedForwardSpec::Packing::up_gate),
      width_(width_of_layer(builder, spec)),
      up_(first_product(builder, spec, width_)),
      down_(builder, "feed_forward.down", spec.hidden, width_, spec.feed_forward.output_bias,
            spec.transposed),
      wide_(builder.slot()),
      activated_(builder.slot()),
      dactivated_(builder.slot()) {}

Status FeedForward::pack(const Packing& packing) {
  ROPEWALK_TRY(up_.pack(packing));
  return down_.pack(packing);
}

void FeedForward::plan(Plan& plan) const {
  plan.hold(wide_, {plan.batch(), plan.tokens(), up_.outputs()});
  if (plan.keeps().gradients) {
    plan.keep(activated_, {plan.batch(), plan.tokens(), width_});
  } else {
    plan.share(activated_, wide_);
  }
}

void FeedForward::plan_backward(Plan& plan) const {
  plan.lend(dactivated_, {plan.batch(), plan.tokens(), width_});
  up_.plan_backward(plan, plan.rows());
  down_.plan_backward(plan, plan.rows());
}

void FeedForward::forward(const Pass& pass, float* y, const float* x) const {
  const std::size_t rows = pass.rows();
  float *const wide = pass.at(wide_), *const activated = pass.at(activated_);
  up_.forward(pass, wide, x, rows);
  if (gated_) {
    nn::gated_forward(pass.compute, activation_, activated, gate(wide), up(wide), 2 * width_, rows, width_);
  } else {
    nn::activation_forward(pass.compute, activation_, activated, wide, rows * width_);
  }
  down_.forward(pass, y, activated, rows);
}

void FeedForward::backward(const Pass& pass, float* dx, const float* dy, const float* x) const {
  const std::size_t rows = pass.rows();
  float *const wide = pass.at(wide_), *const dactivated = pass.at(dactivated_);
  down_.backward(pass, dactivated, dy, pass.at(activated_), rows);
  if (gated_) {
    // From here on `wide` holds its own gradient.
    nn::gated_backward(pass.compute, activation_, gate(wide), up(wide), dactivated, gate(wide), up(wide),
                       2 * width_, rows, width_);
    up_.backward(pass, dx, wide, x, rows);
  } else {
    nn::activation_backward(pass.compute, activation_, dactivated, dactivated, wide, rows * width_);
    up_.backward(pass, dx, dactivated, x, rows);
  }
}

}  // namespace ropewalk::model
