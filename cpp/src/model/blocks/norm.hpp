#pragma once

#include "model/pass.hpp"
#include "nn/head_norm.hpp"
#include "ropewalk/spec.hpp"

namespace ropewalk::model {

/// Layer norm or root-mean-square norm of rows of `width`, and of heads, wherever they lie.
class Norm {
 public:
  Norm(Builder& builder, std::string_view role, std::size_t width, const NormSpec& spec);
  /// A second use of the parameters of `other`.
  Norm(Builder& builder, const Norm& other);

  /// Plans the memory that backward reads, for `rows` rows.
  void plan(Plan& plan, std::uint64_t rows) const;
  /// y from x; y may be x.
  void forward(const Pass& pass, float* y, const float* x, std::size_t rows) const;
  /// y from x + residual; `sum` receives the sum, or is nullptr. sum may be x, and so may y without it.
  void forward_sum(const Pass& pass, float* y, float* sum, const float* x, const float* residual,
                   std::size_t rows) const;
  /// dx from dy, which it may be; x is what was normalised.
  void backward(const Pass& pass, float* dx, const float* dy, const float* x, std::size_t rows) const;

  /// y from x, for shape.tokens * shape.heads rows; y may be x, with the same strides.
  void forward_heads(const Pass& pass, float* y, const float* x, const nn::HeadNormShape& shape) const;
  /// dx from dy, which it may be; both have the strides of y. x is what was normalised.
  void backward_heads(const Pass& pass, float* dx, const float* dy, const float* x,
                      const nn::HeadNormShape& shape) const;

 private:
  NormKind kind_;
  float eps_;
  std::size_t width_;
  std::uint64_t gain_ = absent, bias_ = absent;
  Slot mean_, rstd_;  // (rows) each
};

}  // namespace ropewalk::model
