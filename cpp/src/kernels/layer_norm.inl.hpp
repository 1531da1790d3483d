#pragma once

// Layer and root-mean-square normalisation over rows, forward and backward.

#include "kernels/dense.hpp"
#include "kernels/lanes.inl.hpp"

namespace ropewalk::kernels {

template <class Arch>
void layer_norm(const LayerNormJob& job) noexcept {
  const float n = static_cast<float>(job.n);
  for (std::size_t m = 0; m < job.m; ++m) {
    const float* x = job.x + m * job.n;
    float* y = job.y + m * job.n;
    auto total = Block<Arch>::broadcast(0.0F);
    if (job.residual == nullptr) {
      sweep<Arch>(job.n, [&](std::size_t i, auto count) { total = total + load<Arch>(x + i, count); });
    } else {
      const float* residual = job.residual + m * job.n;
      float* sum = job.sum == nullptr ? y : job.sum + m * job.n;
      sweep<Arch>(job.n, [&](std::size_t i, auto count) {
        const auto value = load<Arch>(x + i, count) + load<Arch>(residual + i, count);
        store<Arch>(value, sum + i, count);
        total = total + value;
      });
      x = sum;
    }
    const float mean = job.gamma == nullptr ? 0.0F : total.sum() / n;
    const auto center = Block<Arch>::broadcast(mean);
    auto squares = Block<Arch>::broadcast(0.0F);
    // The padding of the remainder is the mean, so that it adds nothing.
    sweep<Arch>(job.n, [&](std::size_t i, auto count) {
      const auto deviation = load<Arch>(x + i, count, mean) - center;
      squares = muladd(deviation, deviation, squares);
    });
    const float rstd = 1.0F / __builtin_sqrtf(squares.sum() / n + job.eps);
    const auto factor = Block<Arch>::broadcast(rstd);
    sweep<Arch>(job.n, [&](std::size_t i, auto count) {
      auto normal = (load<Arch>(x + i, count) - center) * factor;
      if (job.gamma != nullptr)
        normal = muladd(normal, load<Arch>(job.gamma + i, count), load<Arch>(job.beta + i, count));
      store<Arch>(normal, y + i, count);
    });
    if (job.mean != nullptr) job.mean[m] = mean;
    if (job.rstd != nullptr) job.rstd[m] = rstd;
  }
}

/// With h = (x - mean) * rstd and g = dy * gamma: dx = rstd * (g - mean(g) - h * mean(g * h)). Without gamma
/// g = dy, and as no mean was subtracted, none is here.
template <class Arch>
void layer_norm_backward(const LayerNormBackwardJob& job) noexcept {
  const float n = static_cast<float>(job.n);
  for (std::size_t m = 0; m < job.m; ++m) {
    const float* x = job.x + m * job.n;
    const float* dy = job.dy + m * job.n;
    float* dx = job.dx + m * job.n;
    const auto center = Block<Arch>::broadcast(job.mean[m]);
    const auto factor = Block<Arch>::broadcast(job.rstd[m]);
    auto sum = Block<Arch>::broadcast(0.0F), product = Block<Arch>::broadcast(0.0F);
    sweep<Arch>(job.n, [&](std::size_t i, auto count) {
      const auto out = load<Arch>(dy + i, count);
      const auto normal = (load<Arch>(x + i, count) - center) * factor;
      auto gradient = out;
      if (job.gamma != nullptr) gradient = gradient * load<Arch>(job.gamma + i, count);
      sum = sum + gradient;
      product = muladd(gradient, normal, product);
      if (job.dgamma != nullptr) {
        store<Arch>(muladd(out, normal, load<Arch>(job.dgamma + i, count)), job.dgamma + i, count);
        store<Arch>(out + load<Arch>(job.dbeta + i, count), job.dbeta + i, count);
      }
    });
    const auto mean_gradient = Block<Arch>::broadcast(job.gamma == nullptr ? 0.0F : sum.sum() / n);
    const auto mean_product = Block<Arch>::broadcast(product.sum() / n);
    sweep<Arch>(job.n, [&](std::size_t i, auto count) {
      const auto normal = (load<Arch>(x + i, count) - center) * factor;
      auto gradient = load<Arch>(dy + i, count);
      if (job.gamma != nullptr) gradient = gradient * load<Arch>(job.gamma + i, count);
      store<Arch>((gradient - mean_gradient - normal * mean_product) * factor, dx + i, count);
    });
  }
}

}  // namespace ropewalk::kernels
