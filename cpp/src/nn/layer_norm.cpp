#include "nn/layer_norm.hpp"

#include "arch/select.hpp"

namespace ropewalk::nn {

void layer_norm_forward(float* y, float* mean, float* rstd, const float* x, const float* gamma,
                        const float* beta, std::size_t m, std::size_t n, float eps) {
  arch::active().dense.layer_norm({.x = x,
                                   .residual = nullptr,
                                   .sum = nullptr,
                                   .gamma = gamma,
                                   .beta = beta,
                                   .y = y,
                                   .mean = mean,
                                   .rstd = rstd,
                                   .m = m,
                                   .n = n,
                                   .eps = eps});
}

void add_layer_norm_forward(float* y, float* sum, float* mean, float* rstd, const float* x,
                            const float* residual, const float* gamma, const float* beta, std::size_t m,
                            std::size_t n, float eps) {
  arch::active().dense.layer_norm({.x = x,
                                   .residual = residual,
                                   .sum = sum,
                                   .gamma = gamma,
                                   .beta = beta,
                                   .y = y,
                                   .mean = mean,
                                   .rstd = rstd,
                                   .m = m,
                                   .n = n,
                                   .eps = eps});
}

void layer_norm_backward(float* dx, float* dgamma, float* dbeta, const float* dy, const float* x,
                         const float* gamma, const float* mean, const float* rstd, std::size_t m,
                         std::size_t n) {
  arch::active().dense.layer_norm_backward({.dy = dy,
                                            .x = x,
                                            .gamma = gamma,
                                            .mean = mean,
                                            .rstd = rstd,
                                            .dx = dx,
                                            .dgamma = dgamma,
                                            .dbeta = dbeta,
                                            .m = m,
                                            .n = n});
}

}  // namespace ropewalk::nn
