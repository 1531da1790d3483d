#include "model/blocks/linear.hpp"

#include <algorithm>

namespace ropewalk::model {

Linear::Linear(Builder& builder, std::initializer_list<Part> parts, std::size_t inputs, bool bias)
    : inputs_(inputs) {
  for (const Part& part : parts) {
    weight_ = std::min(weight_, builder.packed_matrix(part.role, part.outputs, inputs));
    outputs_ += part.outputs;
  }
  if (!bias) return;
  for (const Part& part : parts) {
    bias_ = std::min(bias_, builder.vector(part.role, ".bias", part.outputs, parameters::Initial::zeros));
  }
}

Linear::Linear(Builder& builder, std::string_view role, std::size_t outputs, std::size_t inputs, bool bias,
               bool transposed)
    : weight_(transposed ? builder.packed_matrix(role, inputs, outputs)
                         : builder.packed_matrix(role, outputs, inputs)),
      outputs_(outputs),
      inputs_(inputs),
      transposed_(transposed) {
  if (bias) bias_ = builder.vector(role, ".bias", outputs, parameters::Initial::zeros);
}

Linear Linear::tied(Builder& builder, std::string_view role, std::uint64_t weight, std::size_t outputs,
                    std::size_t inputs, bool bias) {
  Linear linear;
  linear.outputs_ = outputs;
  linear.inputs_ = inputs;
  linear.weight_ = weight;
  builder.tie(weight, role, ".weight");
  if (bias) linear.bias_ = builder.vector(role, ".bias", outputs, parameters::Initial::zeros);
  return linear;
}

Status Linear::pack(const Packing& packing) {
  if (packing.claims != nullptr) {
    const std::size_t rows = transposed_ ? inputs_ : outputs_;
    packing.claims->push_back({weight_, rows, outputs_ + inputs_ - rows, &packed_, nullptr, transposed_});
    return {};
  }
  if (packing.arrived) return {};
  if (transposed_)
    return packed_.pack_transposed(packing.compute, packing.parameters + weight_, inputs_, outputs_);
  return packed_.pack(packing.compute, packing.parameters + weight_, outputs_, inputs_);
}

void Linear::forward_first(const Pass& pass, std::size_t outputs, float* y, const float* x,
                           std::size_t rows) const {
  nn::linear_forward(pass.compute, y, x, packed_, pass.parameter(bias_), rows, outputs);
}

void Linear::backward(const Pass& pass, float* dx, const float* dy, const float* x, std::size_t rows) const {
  nn::linear_backward(pass.compute, dx, pass.gradient(weight_), pass.gradient(bias_), dy, x,
                      pass.parameter(weight_), rows, inputs_, outputs_, pass.scratch);
}

}  // namespace ropewalk::model
