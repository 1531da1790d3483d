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
  /// For a gated network: the start of the gate in a row of `wide`, and of the part that it multiplies.
  float* gate(float* wide) const { return gate_first_ ? wide : wide + width_; }
  float* up(float* wide) const { return gate_first_ ? wide + width_ : wide; }

  Activation activation_;
  bool gated_, gate_first_;
  std::size_t width_;
  Linear up_;  // of a gated network gate and up, by one product
  Linear down_;
  Slot wide_;        // (B,T,F) or (B,T,2F)
  Slot activated_;   // (B,T,F); the memory of wide_ in inference
  Slot dactivated_;  // (B,T,F)
};

}  // namespace ropewalk::model
