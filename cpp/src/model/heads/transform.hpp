#pragma once

#include <optional>
#include <string>

#include "model/blocks/linear.hpp"
#include "model/blocks/norm.hpp"

namespace ropewalk::model {

/// The first part of many heads: a linear layer, an activation and a norm, as far as HeadSpec has them.
class Transform {
 public:
  /// `role` is that of the head: its layer is "role.dense", its norm "role.norm".
  Transform(Builder& builder, const std::string& role, const Spec& spec, const HeadSpec& head,
            std::size_t outputs);

  Status pack(const Packing& packing) { return dense_ ? dense_->pack(packing) : Status(); }
  void plan(Plan& plan, std::uint64_t rows) const;
  void plan_backward(Plan& plan, std::uint64_t rows) const;
  /// Returns (rows, outputs); x (rows,C) itself where there is no layer.
  float* forward(const Pass& pass, float* x, std::size_t rows) const;
  /// The result of forward, once more.
  float* result(const Pass& pass, float* x) const { return dense_ ? pass.at(normalised_) : x; }
  /// Returns the gradient of x from dy, that of forward's result; dy is overwritten.
  float* backward(const Pass& pass, float* dy, const float* x, std::size_t rows) const;

 private:
  Activation activation_;
  std::optional<Linear> dense_;
  std::optional<Norm> norm_;
  std::size_t inputs_, outputs_;
  Slot wide_;  // (rows, outputs), what the activation reads; the next two in the same memory in inference
  Slot activated_;   // (rows, outputs), what the norm reads
  Slot normalised_;  // (rows, outputs)
  Slot dx_;          // (rows, C)
};

}  // namespace ropewalk::model
