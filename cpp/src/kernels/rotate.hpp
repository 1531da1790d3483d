#pragma once

// The interface of the rotate kernels: plain numbers, no shapes to check, nothing to allocate.

#include <cstddef>

namespace ropewalk::kernels {

/// Two nested loops over heads of `head_dim` contiguous elements. The caller decides whether tokens or heads are
/// the outer one: whichever order walks memory forwards.
struct RotateJob {
  const void* x;
  void* y;  // may be x
  std::size_t outer, inner;
  std::ptrdiff_t x_outer, x_inner, y_outer, y_inner;  // strides in elements
  const float* cos;                                   // rows of `pairs`, magnitude included, never NaN
  const float* sin;
  std::ptrdiff_t table_outer, table_inner;  // strides of the rows; 0 where the loop shares one
  std::size_t pairs;                        // d/2
  std::size_t offset;                       // first rotated channel of the head
  std::size_t head_dim;
  bool streaming;  // x and y come from memory rather than a cache
};

using Rotate = void(const RotateJob&) noexcept;

/// [element][pairing], in the order of ropewalk::DType and ropewalk::Pairing.
struct RotateKernels {
  Rotate* of[3][2];
};

}  // namespace ropewalk::kernels
