#pragma once

#include "model/blocks/branch.hpp"
#include "ropewalk/spec.hpp"

namespace ropewalk::model {

/// down(act(up(x))), or down(act(gate(x)) * up(x)).
class FeedForward final : public Branch {
 public:
  FeedForward(Builder builder, const Spec& spec);

  Status pack(const Packing& packing) override;
  void plan(Plan& plan) const override;
  void plan_backward(Plan& plan) const override;
  void forward(const Pass& pass, float* y, const float* x) const override;
  void backward(const Pass& pass, float* dx, const float* dy, const float* x) const override;

 private:
  Activation activation_;
  Linear up_, down_;
  Slot wide_, activated_;  // (B,T,F) each; the same memory in inference
  Slot dwide_;             // (B,T,F)
};

}  // namespace ropewalk::model
