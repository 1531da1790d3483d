#pragma once

// Layer and root-mean-square normalisation over rows, forward and backward.

#include "kernels/dense.hpp"
#include "kernels/lanes.inl.hpp"

namespace ropewalk::kernels {

/// The factor of a normalised block: gamma, or 1 + gamma. Only called with gamma.
template <class Arch, class Count>
inline Block<Arch> norm_gain(NormKind kind, const float* gamma, Count count) noexcept {
  const auto gain = load<Arch>(gamma, count);
  return kind == NormKind::rms_plus_one ? Block<Arch>::broadcast(1.0F) + gain : gain;
}

template <class Arch>
void norm(const NormJob& job) noexcept {
  const float n = static_cast<float>(job.n);
  for (std::size_t m = 0; m < job.m; ++m) {
    const float* x = job.x + static_cast<std::ptrdiff_t>(m) * job.x_row;
    float* y = job.y + static_cast<std::ptrdiff_t>(m) * job.y_row;
    auto total = Block<Arch>::broadcast(0.0F);
    if (job.residual != nullptr) {
      const float* residual = job.residual + m * job.n;
      float* sum = job.sum == nullptr ? y : job.sum + m * job.n;
      sweep<Arch>(job.n, [&](std::size_t i, auto count) {
        const auto value = load<Arch>(x + i, count) + load<Arch>(residual + i, count);
        store<Arch>(value, sum + i, count);
        total = total + value;
      });
      x = sum;
    } else if (job.kind == NormKind::layer) {
      sweep<Arch>(job.n, [&](std::size_t i, auto count) { total = total + load<Arch>(x + i, count); });
    }
    const float mean = job.kind == NormKind::layer ? total.sum() / n : 0.0F;
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
      if (job.gamma == nullptr) {
        if (job.beta != nullptr) normal = normal + load<Arch>(job.beta + i, count);
      } else {
        const auto gain = norm_gain<Arch>(job.kind, job.gamma + i, count);
        normal = job.beta == nullptr ? normal * gain : muladd(normal, gain, load<Arch>(job.beta + i, count));
      }
      store<Arch>(normal, y + i, count);
    });
    if (job.mean != nullptr) job.mean[m] = mean;
    if (job.rstd != nullptr) job.rstd[m] = rstd;
  }
}

/// With h = (x - mean) * rstd and g = dy * gain: dx = rstd * (g - mean(g) - h * mean(g * h)), where mean(g)
/// is left out if no mean was subtracted.
template <class Arch>
void norm_backward(const NormBackwardJob& job) noexcept {
  const float n = static_cast<float>(job.n);
  const bool centered = job.kind == NormKind::layer;
  for (std::size_t m = 0; m < job.m; ++m) {
    const float* x = job.x + static_cast<std::ptrdiff_t>(m) * job.x_row;
    const float* dy = job.dy + static_cast<std::ptrdiff_t>(m) * job.dy_row;
    float* dx = job.dx + static_cast<std::ptrdiff_t>(m) * job.dy_row;
    const auto center = Block<Arch>::broadcast(centered ? job.mean[m] : 0.0F);
    const auto factor = Block<Arch>::broadcast(job.rstd[m]);
    auto sum = Block<Arch>::broadcast(0.0F), product = Block<Arch>::broadcast(0.0F);
    sweep<Arch>(job.n, [&](std::size_t i, auto count) {
      const auto out = load<Arch>(dy + i, count);
      const auto normal = (load<Arch>(x + i, count) - center) * factor;
      auto gradient = out;
      if (job.gamma != nullptr) gradient = gradient * norm_gain<Arch>(job.kind, job.gamma + i, count);
      sum = sum + gradient;
      product = muladd(gradient, normal, product);
      if (job.dgamma != nullptr)
        store<Arch>(muladd(out, normal, load<Arch>(job.dgamma + i, count)), job.dgamma + i, count);
      if (job.dbeta != nullptr) store<Arch>(out + load<Arch>(job.dbeta + i, count), job.dbeta + i, count);
    });
    const auto mean_gradient = Block<Arch>::broadcast(centered ? sum.sum() / n : 0.0F);
    const auto mean_product = Block<Arch>::broadcast(product.sum() / n);
    sweep<Arch>(job.n, [&](std::size_t i, auto count) {
      const auto normal = (load<Arch>(x + i, count) - center) * factor;
      auto gradient = load<Arch>(dy + i, count);
      if (job.gamma != nullptr) gradient = gradient * norm_gain<Arch>(job.kind, job.gamma + i, count);
      store<Arch>((gradient - mean_gradient - normal * mean_product) * factor, dx + i, count);
    });
  }
}

}  // namespace ropewalk::kernels
