#include "model/blocks/layer.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "model/blocks/attention.hpp"
#include "model/blocks/experts.hpp"
#include "model/blocks/feed_forward.hpp"
#include "model/blocks/gated_delta_net.hpp"
#include "model/blocks/layer_inputs.hpp"
#include "model/blocks/short_convolution.hpp"

namespace ropewalk::model {
namespace {

std::unique_ptr<Branch> feed_forward(const Builder& builder, const Spec& spec) {
  if (spec.layers[builder.layer().value_or(0)].experts) return std::make_unique<Experts>(builder, spec);
  return std::make_unique<FeedForward>(builder, spec);
}

std::unique_ptr<Branch> attention(const Builder& builder, const Spec& spec,
                                  const position_encoding::PositionEncoding& positions) {
// No family of encoders has the others.
#if !defined(ROPEWALK_ENCODERS_ONLY)
  const LayerSpec& layer = spec.layers[builder.layer().value_or(0)];
  if (layer.short_convolution) return std::make_unique<ShortConvolution>(builder, spec);
  if (layer.gated_delta_net) return std::make_unique<GatedDeltaNet>(builder, spec);
#endif
  return std::make_unique<Attention>(builder, spec, positions);
}

std::optional<Residual> residual(const Builder& builder, const Spec& spec, MakeBranch make) {
  if (make == nullptr) return {};
  return std::optional<Residual>(
      std::in_place, builder, spec,
      Residual::Roles{"cross_attention.norm", "cross_attention.after_norm", Site::cross_attention_output},
      true, [&] { return make(builder, spec); });
}

std::optional<Residual> convolution(const Builder& builder, const Spec& spec, MakeBranch make) {
  if (make == nullptr || !spec.layers[builder.layer().value_or(0)].convolution) return {};
  return std::optional<Residual>(std::in_place, builder, spec,
                                 Residual::Roles{"convolution.norm", "", Site::convolution}, true,
                                 [&] { return make(builder, spec); });
}

std::optional<Residual> input(const Builder& builder, const Spec& spec, const std::optional<Slot>& inputs) {
#if !defined(ROPEWALK_ENCODERS_ONLY)
  if (inputs) {
    return std::optional<Residual>(std::in_place, builder, spec,
                                   Residual::Roles{"", "input.after_norm", Site::output}, false,
                                   [&] { return std::make_unique<LayerInput>(builder, spec, *inputs); });
  }
#endif
  return {};
}

}  // namespace

Layer::Layer(Builder builder, const Spec& spec, position_encoding::PositionEncoding& positions,
             const LayerParts& parts)
    : width_(spec.hidden),
      parallel_(spec.placement == NormPlacement::parallel ||
                spec.placement == NormPlacement::parallel_shared),
      attention_(builder, spec, {"attention.norm", "attention.after_norm", Site::attention_output},
                 spec.layers[builder.layer().value_or(0)].attention_norm,
                 [&] { return attention(builder, spec, positions); }),
      cross_attention_(residual(builder, spec, parts.cross_attention)),
      feed_forward_(
          builder, spec, {"feed_forward.norm", "feed_forward.after_norm", Site::output}, true,
          [&] { return feed_forward(builder, spec); }, &attention_),
      convolution_(convolution(builder, spec, parts.convolution)),
      input_(input(builder, spec, parts.inputs)),
      factor_(spec.layer_factors ? builder.vector("factor", "", 1, parameters::Initial::ones) : absent),
      middle_(builder.slot()),
      crossed_(builder.slot()),
      fed_(builder.slot()) {
  positions.add_layer_parameters(builder);
}

Status Layer::pack(const Packing& packing) {
  ROPEWALK_TRY(attention_.pack(packing));
  if (cross_attention_) {
    ROPEWALK_TRY(cross_attention_->pack(packing));
  }
  ROPEWALK_TRY(feed_forward_.pack(packing));
  if (input_) return input_->pack(packing);
  return convolution_ ? convolution_->pack(packing) : Status();
}

void Layer::plan(Plan& plan) const {
  attention_.plan(plan);
  plan.hold(middle_, {plan.batch(), plan.tokens(), width_});
  if (cross_attention_) {
    cross_attention_->plan(plan);
    plan.hold(crossed_, {plan.batch(), plan.tokens(), width_});
  }
  feed_forward_.plan(plan);
  if (!convolution_ && !input_) return;
  (input_ ? input_ : convolution_)->plan(plan);
  plan.hold(fed_, {plan.batch(), plan.tokens(), width_});
}

void Layer::plan_backward(Plan& plan) const {
  attention_.plan_backward(plan);
  if (cross_attention_) cross_attention_->plan_backward(plan);
  feed_forward_.plan_backward(plan);
}

void Layer::forward(const Pass& pass, float* y, const float* x) const {
  float* middle = pass.at(middle_);
  attention_.forward(pass, middle, x, x);
  if (cross_attention_) {
    cross_attention_->forward(pass, pass.at(crossed_), middle, middle);
    middle = pass.at(crossed_);
  }
  float* const fed = convolution_ || input_ ? pass.at(fed_) : y;
  feed_forward_.forward(pass, fed, parallel_ ? x : middle, middle);
  if (input_) input_->forward(pass, y, fed, fed);
  if (convolution_) convolution_->forward(pass, y, x, fed);
  if (factor_ != absent) pass.compute.dense().scale(pass.parameter(factor_)[0], y, y, pass.rows() * width_);
  for (std::size_t row = 0; convolution_ && pass.key_mask != nullptr && row < pass.rows(); ++row) {
    if (pass.key_mask[row] == 0) std::fill_n(y + row * width_, width_, 0.0F);
  }
}

void Layer::backward(const Pass& pass, float* dx, const float* x) const {
  if (!parallel_) {
    feed_forward_.backward(pass, dx, pass.at(cross_attention_ ? crossed_ : middle_));
    if (cross_attention_) cross_attention_->backward(pass, dx, pass.at(middle_));
    attention_.backward(pass, dx, x);
    return;
  }
  const auto& dense = pass.compute.dense();
  const float* const through_feed_forward = feed_forward_.backward_branch(pass, dx, x);
  const float* const through_attention = attention_.backward_branch(pass, dx, x);
  dense.add(through_feed_forward, dx, pass.rows() * width_);
  dense.add(through_attention, dx, pass.rows() * width_);
}

void Layer::collect(const Pass& pass, Outputs& outputs) const {
  attention_.collect(pass, outputs);
  feed_forward_.collect(pass, outputs);
}

}  // namespace ropewalk::model
