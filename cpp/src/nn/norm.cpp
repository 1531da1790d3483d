#include "nn/norm.hpp"

#include "nn/threads.hpp"

namespace ropewalk::nn {

void norm_forward(Compute compute, float* y, float* mean, float* rstd, const float* x, const Norm& norm,
                  std::size_t m, std::size_t n) {
  add_norm_forward(compute, y, nullptr, mean, rstd, x, nullptr, norm, m, n);
}

void add_norm_forward(Compute compute, float* y, float* sum, float* mean, float* rstd, const float* x,
                      const float* residual, const Norm& norm, std::size_t m, std::size_t n) {
  const auto from = [](auto* all, std::size_t at) { return all == nullptr ? nullptr : all + at; };
  const auto row = static_cast<std::ptrdiff_t>(n);
  const kernels::DenseKernels& kernels = compute.dense();
  in_rows(compute, m, norm_cost * n, [&](std::size_t first, std::size_t count) {
    kernels.norm({.kind = norm.kind,
                  .x = x + first * n,
                  .x_row = row,
                  .residual = from(residual, first * n),
                  .sum = from(sum, first * n),
                  .gamma = norm.gamma,
                  .beta = norm.beta,
                  .y = y + first * n,
                  .y_row = row,
                  .mean = from(mean, first),
                  .rstd = from(rstd, first),
                  .m = count,
                  .n = n,
                  .eps = norm.eps});
  });
}

void norm_backward(Compute compute, float* dx, float* dgamma, float* dbeta, const float* dy, const float* x,
                   const Norm& norm, const float* mean, const float* rstd, std::size_t m, std::size_t n) {
  const auto row = static_cast<std::ptrdiff_t>(n);
  compute.dense().norm_backward({.kind = norm.kind,
                                 .dy = dy,
                                 .dy_row = row,
                                 .x = x,
                                 .x_row = row,
                                 .gamma = norm.gamma,
                                 .mean = mean,
                                 .rstd = rstd,
                                 .dx = dx,
                                 .dgamma = dgamma,
                                 .dbeta = dbeta,
                                 .m = m,
                                 .n = n});
}

}  // namespace ropewalk::nn
