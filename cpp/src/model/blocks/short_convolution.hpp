#pragma once

#include "model/blocks/branch.hpp"
#include "ropewalk/spec.hpp"

namespace ropewalk::model {

/// out(c * conv(b * u)) with b, c and u from one linear layer, as ShortConvolutionSpec has it.
class ShortConvolution final : public Branch {
 public:
  ShortConvolution(Builder builder, const Spec& spec);

  Status pack(const Packing& packing) override;
  void plan(Plan& plan) const override;
  /// No trainer takes a model that has one.
  void plan_backward(Plan&) const override {}
  void forward(const Pass& pass, float* y, const float* x) const override;
  void backward(const Pass&, float*, const float*, const float*) const override {}

 private:
  std::size_t layer_, channels_, width_;
  Linear in_;
  std::uint64_t weight_;  // (C,1,w), the last of the w for the token itself
  std::uint64_t bias_ = absent;
  Linear out_;
  Slot split_;      // (B,T,3C): b, c and u
  Slot inputs_;     // (B,w-1+T,C): b * u, behind those of the tokens before
  Slot convolved_;  // (B,T,C)
};

}  // namespace ropewalk::model
