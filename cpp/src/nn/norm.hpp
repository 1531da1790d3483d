#pragma once

// Layer normalisation (Ba et al. 2016) and root-mean-square normalisation (Zhang and Sennrich 2019), with the
// residual addition that comes before them in a post-norm encoder.

#include <cstddef>

#include "kernels/dense.hpp"
#include "nn/compute.hpp"

namespace ropewalk::nn {

/// y = normal(x) * gain + beta. The kinds are described at NormKind.
struct Norm {
  NormKind kind;
  const float* gamma;  // (N), or nullptr: the gain is 1
  const float* beta;   // (N), or nullptr: 0
  float eps;
};

/// y (M,N) from x (M,N). rstd (M) and mean (M) are for the backward pass and may be nullptr; mean is 0 unless
/// the kind is layer. y may be x.
void norm_forward(Compute compute, float* y, float* mean, float* rstd, const float* x, const Norm& norm,
                  std::size_t m, std::size_t n);

/// As norm_forward of x + residual, without a pass of its own for the sum. `sum` (M,N) receives it, for the
/// backward pass or as the residual stream of a pre-norm model, or is nullptr. sum may be x or residual, y
/// may be x or residual.
void add_norm_forward(Compute compute, float* y, float* sum, float* mean, float* rstd, const float* x,
                      const float* residual, const Norm& norm, std::size_t m, std::size_t n);

/// dx (M,N) is overwritten and may be dy; dgamma (N) and dbeta (N) are accumulated, or nullptr. x is what was
/// normalised, the sum where there was a residual (whose gradient is dx as well). mean is read only if the
/// kind is layer.
void norm_backward(Compute compute, float* dx, float* dgamma, float* dbeta, const float* dy, const float* x,
                   const Norm& norm, const float* mean, const float* rstd, std::size_t m, std::size_t n);

}  // namespace ropewalk::nn
