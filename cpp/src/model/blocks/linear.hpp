#pragma once

#include <initializer_list>

#include "model/packing.hpp"
#include "model/pass.hpp"
#include "nn/linear.hpp"

namespace ropewalk::model {

/// y = x W^T + b, with W (outputs, inputs) as checkpoints hold it.
class Linear {
 public:
  /// A parameter that makes some of the outputs.
  struct Part {
    std::string_view role;
    std::size_t outputs;
  };

  /// `transposed`: checkpoints hold the weight as (inputs, outputs). There is no backward pass then.
  Linear(Builder& builder, std::string_view role, std::size_t outputs, std::size_t inputs, bool bias = true,
         bool transposed = false);
  /// One product for several parameters, which are neighbours in memory: first their weights, then their
  /// biases.
  Linear(Builder& builder, std::initializer_list<Part> parts, std::size_t inputs, bool bias = true);
  /// Its weight is the parameter at `weight`. A checkpoint may hold that under the name of the role as well.
  static Linear tied(Builder& builder, std::string_view role, std::uint64_t weight, std::size_t outputs,
                     std::size_t inputs, bool bias);

  std::size_t outputs() const { return outputs_; }
  std::size_t inputs() const { return inputs_; }

  /// Allocates the first time only.
  Status pack(const Packing& packing);
  /// y (rows, outputs) from x (rows, inputs); y is not x.
  void forward(const Pass& pass, float* y, const float* x, std::size_t rows) const {
    forward_first(pass, outputs_, y, x, rows);
  }
  /// The same with the first `outputs` outputs alone: y (rows, outputs).
  void forward_first(const Pass& pass, std::size_t outputs, float* y, const float* x, std::size_t rows) const;

  /// The weights of output n, (inputs).
  void row(std::size_t n, float* out) const { packed_.row(n, out); }
  const nn::PackedWeight& packed() const { return packed_; }

  void plan_backward(Plan& plan, std::size_t rows) const {
    plan.scratch(nn::linear_backward_scratch(rows, inputs_, outputs_));
  }
  /// dx (rows, inputs), or nullptr, from dy (rows, outputs); the gradients of weight and bias are added up.
  /// dx is not dy.
  void backward(const Pass& pass, float* dx, const float* dy, const float* x, std::size_t rows) const;

 private:
  Linear() = default;

  std::uint64_t weight_ = absent, bias_ = absent;
  std::size_t outputs_ = 0, inputs_ = 0;
  bool transposed_ = false;
  nn::PackedWeight packed_;
};

}  // namespace ropewalk::model
