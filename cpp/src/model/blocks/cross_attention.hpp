#pragma once

#include "model/blocks/branch.hpp"
#include "model/blocks/linear.hpp"
#include "nn/cross_attention.hpp"
#include "ropewalk/spec.hpp"

namespace ropewalk::model {

/// Attention of the tokens to Pass::memory, S hidden states of another model for each sequence. Nothing rotates: the two
/// sequences have no positions in common.
class CrossAttention final : public Branch {
 public:
  CrossAttention(Builder builder, const Spec& spec);

  Status pack(const Packing& packing) override;
  void plan(Plan& plan) const override;
  void plan_backward(Plan& plan) const override;
  void forward(const Pass& pass, float* y, const float* x) const override;
  /// Adds to the gradient of the memory as well.
  void backward(const Pass& pass, float* dx, const float* dy, const float* x) const override;

 private:
  nn::CrossAttentionShape shape(std::size_t batch, std::size_t tokens, std::size_t memory_tokens) const;

  std::size_t heads_, head_dim_, width_;
  float scale_;
  Linear query_, key_value_, output_;
  Slot queries_, key_values_;  // (B,T,H,D), (B,S,2,H,D)
  Slot probs_;                 // (B,H,T,S)
  Slot context_;               // (B,T,H,D)
  Slot dqueries_, dkey_values_, dcontext_, dmemory_;
};

}  // namespace ropewalk::model
