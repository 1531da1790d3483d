#pragma once

#include "model/pass.hpp"
#include "ropewalk/spec.hpp"

namespace ropewalk::model {

/// One hidden state for each sequence.
class Pool {
 public:
  Pool(Pooled which, std::size_t width) : which_(which), width_(width) {}

  /// out (B,C) from hidden (B,T,C).
  void forward(const Pass& pass, float* out, const float* hidden) const;
  /// dhidden (B,T,C), overwritten, from dout (B,C).
  void backward(const Pass& pass, float* dhidden, const float* dout) const;

 private:
  Pooled which_;
  std::size_t width_;
};

}  // namespace ropewalk::model
