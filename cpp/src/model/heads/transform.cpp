#include "model/heads/transform.hpp"

#include "nn/activation.hpp"

namespace ropewalk::model {

Transform::Transform(Builder& builder, const std::string& role, const Spec& spec, const HeadSpec& head,
                     std::size_t outputs)
    : activation_(head.activation),
      inputs_(spec.hidden),
      outputs_(outputs),
      wide_(builder.slot()),
      activated_(builder.slot()),
      normalised_(builder.slot()),
      dx_(builder.slot()) {
  if (head.dense) dense_.emplace(builder, role + ".dense", outputs, spec.hidden, head.dense_bias);
  if (head.norm) norm_.emplace(builder, role + ".norm", outputs, spec.norm);
}

void Transform::plan(Plan& plan, std::uint64_t rows) const {
  if (!dense_) return;
  plan.hold(wide_, {rows, outputs_});
  if (!plan.keeps().gradients) {
    plan.share(activated_, wide_);
    plan.share(normalised_, wide_);
    return;
  }
  plan.keep(activated_, {rows, outputs_});
  if (!norm_) {
    plan.share(normalised_, activated_);
    return;
  }
  norm_->plan(plan, rows);
  plan.keep(normalised_, {rows, outputs_});
}

void Transform::plan_backward(Plan& plan, std::uint64_t rows) const {
  if (!dense_) return;
  plan.lend(dx_, {rows, inputs_});
  dense_->plan_backward(plan, rows);
}

float* Transform::forward(const Pass& pass, float* x, std::size_t rows) const {
  if (!dense_) return x;
  float *const wide = pass.at(wide_), *const activated = pass.at(activated_);
  dense_->forward(pass, wide, x, rows);
  nn::activation_forward(pass.compute, activation_, activated, wide, rows * outputs_);
  if (norm_) norm_->forward(pass, pass.at(normalised_), activated, rows);
  return pass.at(normalised_);
}

float* Transform::backward(const Pass& pass, float* dy, const float* x, std::size_t rows) const {
  if (!dense_) return dy;
  if (norm_) norm_->backward(pass, dy, dy, pass.at(activated_), rows);
  nn::activation_backward(pass.compute, activation_, dy, dy, pass.at(wide_), rows * outputs_);
  dense_->backward(pass, pass.at(dx_), dy, x, rows);
  return pass.at(dx_);
}

}  // namespace ropewalk::model
