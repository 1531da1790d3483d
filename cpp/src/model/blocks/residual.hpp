#pragma once

#include <memory>
#include <optional>

#include "model/blocks/branch.hpp"
#include "model/blocks/norm.hpp"

namespace ropewalk::model {

/// A branch with the norms around it and the addition: half a layer.
class Residual {
 public:
  /// `norm` is the role of the norm before the branch, or after the sum where the placement is post; `after`
  /// that of the norm after the branch where the placement has one. Dropout of the branch is that of `site`.
  struct Roles {
    std::string_view norm, after;
    Site site;
  };
  /// Without `normed` there is no norm before the branch. The parameters of `branch` come before those of a
  /// norm after it, and behind those of a norm before it. `first` is the one whose norm a parallel branch shares.
  template <class MakeBranch>
  Residual(Builder builder, const Spec& spec, const Roles& roles, bool normed, MakeBranch&& make_branch,
           const Residual* first = nullptr)
      : width_(spec.hidden),
        layer_(builder.layer().value_or(0)),
        scale_(static_cast<float>(spec.branch_scale)),
        site_(roles.site),
        normed_(builder.slot()),
        kept_branch_(builder.slot()),
        dbranch_(builder.slot()) {
    const bool post = spec.placement == NormPlacement::post, after = spec.placement == NormPlacement::after;
    const bool shares = first != nullptr && spec.placement == NormPlacement::parallel_shared;
    if (shares && first->before_) {
      before_.emplace(builder, *first->before_);
    } else if (!post && !after && normed)
      before_.emplace(builder, roles.norm, spec.hidden, spec.norm);
    branch_ = make_branch();
    if (post) of_sum_.emplace(builder, roles.norm, spec.hidden, spec.norm);
    if (after || spec.placement == NormPlacement::sandwich)
      after_.emplace(builder, roles.after, spec.hidden, spec.norm);
  }

  Status pack(const Packing& packing) { return branch_->pack(packing); }
  void plan(Plan& plan) const;
  void plan_backward(Plan& plan) const;
  /// y (B,T,C) = base + branch(x), with the norms; base is x, or what another branch made of it. y is
  /// neither.
  void forward(const Pass& pass, float* y, const float* x, const float* base) const;
  /// dx (B,T,C), the gradient of y, becomes that of x, where base is x.
  void backward(const Pass& pass, float* dx, const float* x) const;
  /// For placements that normalise no sums: the gradient of x through the branch alone, from dy, which is not
  /// changed.
  const float* backward_branch(const Pass& pass, const float* dy, const float* x) const;
  const float* probabilities(const Pass& pass) const { return branch_->probabilities(pass); }
  void collect(const Pass& pass, Outputs& outputs) const { branch_->collect(pass, outputs); }

 private:
  std::size_t width_, layer_;
  float scale_;
  Site site_;
  std::optional<Norm> before_, of_sum_, after_;
  std::unique_ptr<Branch> branch_;
  Slot normed_;       // (B,T,C), what the branch reads
  Slot kept_branch_;  // (B,T,C), what of_sum_ or after_ normalised; in training only
  Slot dbranch_;      // (B,T,C)
};

}  // namespace ropewalk::model
