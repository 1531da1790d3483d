#pragma once

#include "model/blocks/branch.hpp"
#include "ropewalk/spec.hpp"

namespace ropewalk::model {

/// y (T,C), each channel of each token: its bias, or 0 where bias is nullptr, and the w inputs up to the token's own times
/// weight (C,w). The T tokens' own inputs are the last rows of x (w-1+T,C).
void convolve(float* y, const float* x, const float* weight, const float* bias, std::size_t tokens,
              std::size_t channels, std::size_t width);

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
