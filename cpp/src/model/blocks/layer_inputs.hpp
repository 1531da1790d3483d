#pragma once

#include "model/blocks/branch.hpp"
#include "model/blocks/norm.hpp"
#include "model/blocks/words.hpp"
#include "ropewalk/spec.hpp"

namespace ropewalk::model {

/// Makes the inputs of all layers beside their hidden states, as LayerInputSpec has them.
class LayerInputs {
 public:
  LayerInputs(Builder& builder, const Spec& spec);

  Status pack(const Packing& packing);
  void plan(Plan& plan) const;
  /// From the vectors (B,T,C) that the first layer reads.
  void forward(const Pass& pass, const float* embedded) const;
  /// (L,B,T,P), from forward to the end of the pass.
  Slot inputs() const { return inputs_; }

 private:
  std::size_t layers_, width_, vocabulary_;
  float scale_, projection_scale_;
  std::uint64_t words_;
  Words table_;  // (vocabulary, L P)
  Linear projection_;
  Norm norm_;
  Slot inputs_;
  Slot projected_;  // (B,T,L,P)
  Slot word_;       // (L,P), of one token
};

/// out(act(gate(x)) * i) with the input i of its layer.
class LayerInput final : public Branch {
 public:
  /// `inputs` is where LayerInputs leaves those of all layers.
  LayerInput(Builder builder, const Spec& spec, Slot inputs);

  Status pack(const Packing& packing) override;
  void plan(Plan& plan) const override;
  /// No trainer takes a model that has one.
  void plan_backward(Plan&) const override {}
  void forward(const Pass& pass, float* y, const float* x) const override;
  void backward(const Pass&, float*, const float*, const float*) const override {}

 private:
  std::size_t layer_, width_;
  Activation activation_;
  Linear gate_, out_;
  Slot inputs_;
  Slot gated_;  // (B,T,P)
};

}  // namespace ropewalk::model
