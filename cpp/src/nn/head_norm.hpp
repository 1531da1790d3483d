#pragma once

// The norm of queries or keys over each head's D elements, before they rotate (Henry et al. 2020; Gemma 3 and
// Qwen3 use root mean squares).

#include <cstddef>

#include "nn/attention.hpp"
#include "nn/norm.hpp"

namespace ropewalk::nn {

/// `heads` heads of `head_dim` elements at each of `tokens` tokens (all sequences together). Strides of 0
/// mean dense.
struct HeadNormShape {
  std::size_t tokens, heads, head_dim;
  HeadStrides x = {}, y = {};
};

/// y = norm(x), head by head; norm.gamma and norm.beta (D) serve all heads. mean and rstd (tokens, heads) are for the
/// backward pass, or nullptr; mean is 0 unless the kind is layer. y may be x, with the same strides.
void head_norm_forward(Compute compute, float* y, float* mean, float* rstd, const float* x, const Norm& norm,
                       const HeadNormShape& shape);

/// dx is overwritten; like dy it has the strides of y, and may be dy. dgamma (D) and dbeta (D) are
/// accumulated, or nullptr. x is what head_norm_forward read; mean is read only if the kind is layer.
void head_norm_backward(Compute compute, float* dx, float* dgamma, float* dbeta, const float* dy,
                        const float* x, const Norm& norm, const float* mean, const float* rstd,
                        const HeadNormShape& shape);

}  // namespace ropewalk::nn
