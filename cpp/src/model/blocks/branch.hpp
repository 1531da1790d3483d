#pragma once

#include "model/blocks/linear.hpp"

namespace ropewalk::model {

/// A term that a layer adds to its hidden states: attention or a feed-forward network, (B,T,C) to (B,T,C).
class Branch {
 public:
  virtual ~Branch() = default;

  virtual Status pack(const Packing& packing) = 0;
  /// The memory of forward; and that of backward beside it.
  virtual void plan(Plan& plan) const = 0;
  virtual void plan_backward(Plan& plan) const = 0;
  /// y is not x.
  virtual void forward(const Pass& pass, float* y, const float* x) const = 0;
  /// dx from dy, which it may be; x is what forward read.
  virtual void backward(const Pass& pass, float* dx, const float* dy, const float* x) const = 0;
  /// (B,H,T,T) of attention whose pass wants contacts, until the next layer runs; else nullptr.
  virtual const float* probabilities(const Pass&) const { return nullptr; }
  /// Adds what was kept for the caller.
  virtual void collect(const Pass&, Outputs&) const {}
};

}  // namespace ropewalk::model
