#pragma once

// Sums, sums of rows, and the step of the optimiser.

#include "kernels/dense.hpp"
#include "kernels/lanes.inl.hpp"

namespace ropewalk::kernels {

template <class Arch>
void add(const float* x, float* y, std::size_t count) noexcept {
  sweep<Arch>(count, [&](std::size_t i, auto n) {
    store<Arch>(load<Arch>(y + i, n) + load<Arch>(x + i, n), y + i, n);
  });
}

template <class Arch>
void axpy(float a, const float* x, float* y, std::size_t count) noexcept {
  const auto factor = Block<Arch>::broadcast(a);
  sweep<Arch>(count, [&](std::size_t i, auto n) {
    store<Arch>(muladd(factor, load<Arch>(x + i, n), load<Arch>(y + i, n)), y + i, n);
  });
}

template <class Arch>
void scale(float a, const float* x, float* y, std::size_t count) noexcept {
  const auto factor = Block<Arch>::broadcast(a);
  sweep<Arch>(count, [&](std::size_t i, auto n) { store<Arch>(load<Arch>(x + i, n) * factor, y + i, n); });
}

template <class Arch>
void add_rows(const float* x, float* sum, std::size_t m, std::size_t n) noexcept {
  for (std::size_t row = 0; row < m; ++row) add<Arch>(x + row * n, sum, n);
}

template <class Arch>
void adam(const AdamJob& job) noexcept {
  using B = Block<Arch>;
  using F = Floats<Arch>;
  const auto gradient_scale = B::broadcast(job.gradient_scale);
  const auto beta1 = B::broadcast(job.beta1), rest1 = B::broadcast(1.0F - job.beta1);
  const auto beta2 = B::broadcast(job.beta2), rest2 = B::broadcast(1.0F - job.beta2);
  const auto rate = B::broadcast(job.rate * job.correction1), correction2 = B::broadcast(job.correction2);
  const auto eps = B::broadcast(job.eps), decay = B::broadcast(1.0F - job.rate * job.weight_decay);
  sweep<Arch>(job.count, [&](std::size_t i, auto n) {
    const B gradient = load<Arch>(job.gradient + i, n) * gradient_scale;
    const B m = muladd(beta1, load<Arch>(job.m + i, n), rest1 * gradient);
    const B v = muladd(beta2, load<Arch>(job.v + i, n), rest2 * gradient * gradient);
    const B root = (v * correction2).map([](F x) { return Exact<Arch>::square_root(x); }) + eps;
    const B step = (rate * m).map(root, [](F x, F y) { return Exact<Arch>::divide(x, y); });
    store<Arch>(m, job.m + i, n);
    store<Arch>(v, job.v + i, n);
    // The padding of a remainder divides 0 by eps or by 0 and is not stored.
    store<Arch>(load<Arch>(job.parameter + i, n) * decay - step, job.parameter + i, n);
  });
}

/// Sixteen chains in plain code: the compiler may put them into vectors of any length without changing a bit.
template <class Arch>
double sum_squares(const float* x, std::size_t count) noexcept {
  double chains[block] = {};
  const auto take = [&](std::size_t at, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      const double value = x[at + i];
      chains[i] += value * value;
    }
  };
  std::size_t at = 0;
  for (; at + block <= count; at += block) take(at, block);
  take(at, count - at);
  for (std::size_t half = block / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) chains[i] += chains[i + half];
  }
  return chains[0];
}

}  // namespace ropewalk::kernels
