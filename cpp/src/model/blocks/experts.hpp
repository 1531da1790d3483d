#pragma once

#include <vector>

#include "model/blocks/branch.hpp"
#include "ropewalk/spec.hpp"

namespace ropewalk::model {

/// A mixture of feed-forward networks: with the shares p = softmax(x R^T) over all experts, the sum of
/// p_e act(x up_e^T) down_e over those with the largest p, plus a bias. The shares of those do not add up to 1.
/// Equal shares go to the lower number.
class Experts final : public Branch {
 public:
  Experts(Builder builder, const Spec& spec);

  Status pack(const Packing& packing) override;
  void plan(Plan& plan) const override;
  void plan_backward(Plan& plan) const override;
  void forward(const Pass& pass, float* y, const float* x) const override;
  void backward(const Pass& pass, float* dx, const float* dy, const float* x) const override;

 private:
  /// Calls visit(e, the rows of the tokens that expert e reads, how many come before them).
  template <class Visit>
  void for_each_expert(const Pass& pass, Visit&& visit) const;
  void route(const Pass& pass, const float* x) const;
  void gather(const Pass& pass, float* to, const float* x, std::span<const std::int32_t> rows) const;

  Activation activation_;
  std::size_t experts_, active_, hidden_, width_;
  std::uint64_t router_, up_, down_, bias_ = absent;  // (n,C), (n F,C), (n F,C), (C)
  std::vector<nn::PackedWeight> packed_up_, packed_down_;
  Slot shares_;          // (B,T,n)
  Slot rows_;            // (B T k) whole numbers: the rows of expert 0, those of expert 1, ...
  Slot counts_;          // (n) whole numbers: how many rows each has
  Slot gathered_;        // (B T,C), the rows of one expert
  Slot wide_;            // (B T k,F) where a backward pass follows, else (B T,F) for one expert at a time
  Slot activated_;       // the same; the memory of wide_ in inference
  Slot output_;          // (B T,C), of one expert
  Slot gathered_again_;  // (B T,C), for the backward pass
  Slot dshares_, doutput_, dwide_, dgathered_, dx_;
};

}  // namespace ropewalk::model
