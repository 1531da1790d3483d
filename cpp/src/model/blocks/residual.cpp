#include "model/blocks/residual.hpp"

#include "nn/threads.hpp"

namespace ropewalk::model {

void Residual::plan(Plan& plan) const {
  const Plan::Shape shape = {plan.batch(), plan.tokens(), width_};
  if (before_) {
    before_->plan(plan, plan.rows());
    plan.hold(normed_, shape);
  }
  branch_->plan(plan);
  for (const std::optional<Norm>* norm : {&of_sum_, &after_}) {
    if (!*norm) continue;
    (*norm)->plan(plan, plan.rows());
    if (plan.keeps().gradients) plan.keep(kept_branch_, shape);
  }
}

void Residual::plan_backward(Plan& plan) const {
  plan.lend(dbranch_, {plan.batch(), plan.tokens(), width_});
  branch_->plan_backward(plan);
}

void Residual::forward(const Pass& pass, float* y, const float* x, const float* base) const {
  const std::size_t rows = pass.rows(), count = rows * width_;
  if (before_) {
    before_->forward(pass, pass.at(normed_), x, rows);
    x = pass.at(normed_);
  }
  float* const kept = pass.at(kept_branch_);
  float* const branch = kept == nullptr ? y : kept;
  branch_->forward(pass, branch, x);
  pass.dropped(branch, branch, count, site_, layer_);
  if (scale_ != 1) pass.compute.dense().scale(scale_, branch, branch, count);
  if (of_sum_) {
    of_sum_->forward_sum(pass, y, kept, branch, base, rows);
    return;
  }
  if (after_) after_->forward(pass, y, branch, rows);
  const auto add = pass.compute.dense().add;
  nn::in_rows(pass.compute, rows, nn::addition_cost * width_, [&](std::size_t first, std::size_t some) {
    add(base + first * width_, y + first * width_, some * width_);
  });
}

const float* Residual::backward_branch(const Pass& pass, const float* dy, const float* x) const {
  float* const dbranch = pass.at(dbranch_);
  if (after_) {
    after_->backward(pass, dbranch, dy, pass.at(kept_branch_), pass.rows());
    dy = dbranch;
  }
  if (scale_ != 1) {
    pass.compute.dense().scale(scale_, dy, dbranch, pass.rows() * width_);
    dy = dbranch;
  }
  dy = pass.dropped(dbranch, dy, pass.rows() * width_, site_, layer_);
  branch_->backward(pass, dbranch, dy, before_ ? pass.at(normed_) : x);
  if (before_) before_->backward(pass, dbranch, dbranch, x, pass.rows());
  return dbranch;
}

void Residual::backward(const Pass& pass, float* dx, const float* x) const {
  if (of_sum_) of_sum_->backward(pass, dx, dx, pass.at(kept_branch_), pass.rows());
  pass.compute.dense().add(backward_branch(pass, dx, x), dx, pass.rows() * width_);
}

}  // namespace ropewalk::model
