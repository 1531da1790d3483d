#pragma once

// The interface of the gradient kernels: what one pass over x and the gradient of y yields.

#include <cstddef>

namespace ropewalk::kernels {

/// Two nested loops over heads, as RotateJob. For pair (a, b) of x with table entry (c, s) and gradient (ga,
/// gb) of the rotated pair:
///   grad_x = (ga c + gb s, gb c - ga s), the transpose, in float32
///   turn += gb a - ga b,  stretch += ga a + gb b
/// Angle and scale of the entry then have the gradients c turn - s stretch and c stretch + s turn, whatever
/// the number of heads that were summed. Products of two float32 are exact in float64, so these sums have the
/// same bits on every architecture.
struct GradientJob {
  const float* x;
  const float* grad_y;  // strides of x
  float* grad_x;        // strides of x
  std::size_t outer, inner;
  std::ptrdiff_t x_outer, x_inner;  // strides in elements
  const float* cos;                 // rows of `pairs`, magnitude included
  const float* sin;
  double* turn;  // added to; rows as the table's
  double* stretch;
  std::ptrdiff_t table_outer, table_inner;  // strides of the rows of cos, sin, turn and stretch
  std::size_t pairs;                        // d/2
  std::size_t offset;  // first rotated channel of the head; the others are copied from grad_y
  std::size_t head_dim;
};

using Gradient = void(const GradientJob&) noexcept;

/// [pairing], in the order of ropewalk::Pairing.
struct GradientKernels {
  Gradient* of[2];
};

}  // namespace ropewalk::kernels
