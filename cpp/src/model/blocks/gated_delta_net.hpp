#pragma once

#include "model/blocks/branch.hpp"
#include "model/blocks/norm.hpp"
#include "ropewalk/spec.hpp"

namespace ropewalk::model {

/// Linear attention by the gated delta rule, as GatedDeltaNetSpec has it. What it knows of the tokens before is a state of
/// one size, whatever their number.
class GatedDeltaNet final : public Branch {
 public:
  GatedDeltaNet(Builder builder, const Spec& spec);

  Status pack(const Packing& packing) override;
  void plan(Plan& plan) const override;
  /// No trainer takes a model that has one.
  void plan_backward(Plan&) const override {}
  void forward(const Pass& pass, float* y, const float* x) const override;
  void backward(const Pass&, float*, const float*, const float*) const override {}

 private:
  /// How much of the state stays with each token, and how much of its change is done: decay and beta.
  void rates(const Pass& pass) const;

  std::size_t layer_;
  GatedDeltaNetSpec own_;
  std::size_t channels_, values_;  // 2KD + HE and HE
  Linear in_;
  std::uint64_t weight_;                  // (2KD + HE,1,w), the last of the w for the token itself
  std::uint64_t decay_log_, decay_bias_;  // (H) each
  Norm norm_;
  Linear out_;
  Slot split_;      // (B,T,2KD + 2HE + 2H): queries, keys and values, the gate, beta, decay
  Slot inputs_;     // (w-1+T,2KD + HE), behind those of the tokens before
  Slot convolved_;  // (B,T,2KD + HE)
  Slot rates_;      // (3,B,T,H): beta, decay, and what the second is made with
  Slot state_;      // of one sequence, where no cache has it
};

}  // namespace ropewalk::model
