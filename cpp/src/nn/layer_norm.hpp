#pragma once

// Layer normalisation (Ba et al. 2016), with the residual addition that comes before it in a post-norm
// encoder. Everywhere gamma and beta may both be nullptr: root-mean-square normalisation (Zhang and Sennrich
// 2019) without parameters, as RoFormer-v2 has it, with a mean that is left in and stored as 0.

#include <cstddef>

namespace ropewalk::nn {

/// y (M,N) = (x - mean) * rstd * gamma + beta; mean (M) and rstd (M) may be nullptr, y may be x.
void layer_norm_forward(float* y, float* mean, float* rstd, const float* x, const float* gamma,
                        const float* beta, std::size_t m, std::size_t n, float eps);

/// As layer_norm_forward of x + residual, without a pass of its own for the sum; `sum` (M,N) receives it for
/// the backward pass, or is nullptr. sum may be x, y may be x or residual.
void add_layer_norm_forward(float* y, float* sum, float* mean, float* rstd, const float* x,
                            const float* residual, const float* gamma, const float* beta, std::size_t m,
                            std::size_t n, float eps);

/// dx (M,N) overwritten (may be dy); dgamma (N) and dbeta (N) accumulated, or both nullptr. x is what was
/// normalised, i.e. the sum where there was a residual (whose gradient is dx as well).
void layer_norm_backward(float* dx, float* dgamma, float* dbeta, const float* dy, const float* x,
                         const float* gamma, const float* mean, const float* rstd, std::size_t m,
                         std::size_t n);

}  // namespace ropewalk::nn
