#include "model/blocks/feed_forward.hpp"

#include "nn/activation.hpp"

namespace ropewalk::model {

FeedForward::FeedForward(Builder builder, const Spec& spec)
    : activation_(spec.feed_forward.activation),
      up_(builder, "feed_forward.up", spec.feed_forward.width, spec.hidden, spec.feed_forward.bias),
      down_(builder, "feed_forward.down", spec.hidden, spec.feed_forward.width,
            spec.feed_forward.output_bias),
      wide_(builder.slot()),
      activated_(builder.slot()),
      dwide_(builder.slot()) {}

Status FeedForward::pack(const Packing& packing) {
  if (Status status = up_.pack(packing); !status.ok()) return status;
  return down_.pack(packing);
}

void FeedForward::plan(Plan& plan) const {
  plan.hold(wide_, {plan.batch(), plan.tokens(), up_.outputs()});
  if (plan.keeps().gradients) {
    plan.keep(activated_, {plan.batch(), plan.tokens(), up_.outputs()});
  } else {
    plan.share(activated_, wide_);
  }
}

void FeedForward::plan_backward(Plan& plan) const {
  plan.lend(dwide_, {plan.batch(), plan.tokens(), up_.outputs()});
  up_.plan_backward(plan, plan.rows());
  down_.plan_backward(plan, plan.rows());
}

void FeedForward::forward(const Pass& pass, float* y, const float* x) const {
  float *const wide = pass.at(wide_), *const activated = pass.at(activated_);
  up_.forward(pass, wide, x, pass.rows());
  nn::activation_forward(activation_, activated, wide, pass.rows() * up_.outputs());
  down_.forward(pass, y, activated, pass.rows());
}

void FeedForward::backward(const Pass& pass, float* dx, const float* dy, const float* x) const {
  float* const dwide = pass.at(dwide_);
  down_.backward(pass, dwide, dy, pass.at(activated_), pass.rows());
  nn::activation_backward(activation_, dwide, dwide, pass.at(wide_), pass.rows() * up_.outputs());
  up_.backward(pass, dx, dwide, x, pass.rows());
}

}  // namespace ropewalk::model
