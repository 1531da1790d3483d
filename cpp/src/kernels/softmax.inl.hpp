#pragma once

// Softmax over rows, forward and backward, and the logarithm of its denominator.

#include "kernels/dense.hpp"
#include "kernels/math.inl.hpp"

namespace ropewalk::kernels {

template <class Arch>
[[gnu::noinline]] void fill(float value, float* x, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) x[i] = value;
}

/// True if no column is left, as opposed to columns that are not numbers.
template <class Arch>
[[gnu::noinline]] bool all_hidden(const float* x, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    if (!(x[i] == -__builtin_inff())) return false;
  }
  return true;
}

/// x where it lies between 0 and `most`, else the nearer of the two.
template <class Arch>
inline std::size_t clamp_column(std::ptrdiff_t x, std::size_t most) noexcept {
  return x < 0 ? 0 : static_cast<std::size_t>(x) < most ? static_cast<std::size_t>(x) : most;
}

template <class Arch>
void softmax(const SoftmaxJob& job) noexcept {
  using F = Floats<Arch>;
  constexpr float lowest = -__builtin_inff();
  const auto scale = Block<Arch>::broadcast(job.scale);
  for (std::size_t row = 0; row < job.rows; ++row) {
    const float* x = job.x + static_cast<std::ptrdiff_t>(row) * job.x_row;
    float* y = job.y + static_cast<std::ptrdiff_t>(row) * job.y_row;
    const float* bias =
        job.bias == nullptr ? nullptr : job.bias + static_cast<std::ptrdiff_t>(row) * job.bias_row;
    std::size_t begin = 0, end = job.columns;
    if (job.band) {
      begin = clamp_column<Arch>(job.first + static_cast<std::ptrdiff_t>(row), end);
      end = clamp_column<Arch>(job.last + static_cast<std::ptrdiff_t>(row), end);
    }
    // Whole blocks, so that every column keeps its lane, hence the sum its bits.
    const std::size_t start = begin / block * block, hidden = begin - start;
    auto largest = Block<Arch>::broadcast(lowest);
    sweep<Arch>(end - start, [&](std::size_t at, auto count) {
      const std::size_t i = start + at;
      auto value = load<Arch>(x + i, count, lowest) * scale;
      if (bias != nullptr) value = value + load<Arch>(bias + i, count);
      if (job.mask != nullptr) value = value + load<Arch>(job.mask + i, count);
      store<Arch>(value, y + i, count);
      if (at == 0 && hidden != 0) fill<Arch>(lowest, y + i, hidden);
      // The padding is not -infinity any more when the scale is negative.
      value = load<Arch>(y + i, count, lowest);
      largest = largest.map(value, [](F a, F b) { return xsimd::select(a < b, b, a); });
    });
    const float highest = largest.max();
    if (job.band && highest == lowest && all_hidden<Arch>(y + begin, end - begin)) {
      fill<Arch>(0.0F, y, job.columns);
      continue;
    }
    const auto shift = Block<Arch>::broadcast(highest);
    auto sum = Block<Arch>::broadcast(0.0F);
    sweep<Arch>(end - start, [&](std::size_t at, auto count) {
      const std::size_t i = start + at;
      const auto value =
          (load<Arch>(y + i, count, lowest) - shift).map([](F v) { return kernels::exp<Arch>(v); });
      store<Arch>(value, y + i, count);
      sum = sum + value;
    });
    const auto factor = Block<Arch>::broadcast(1.0F / sum.sum());
    sweep<Arch>(end - start, [&](std::size_t at, auto count) {
      store<Arch>(load<Arch>(y + start + at, count) * factor, y + start + at, count);
    });
    if (start != 0) fill<Arch>(0.0F, y, start);
    if (end != job.columns) fill<Arch>(0.0F, y + end, job.columns - end);
  }
}

template <class Arch>
void softmax_backward(const SoftmaxBackwardJob& job) noexcept {
  const auto scale = Block<Arch>::broadcast(job.scale);
  for (std::size_t row = 0; row < job.rows; ++row) {
    const float* y = job.y + static_cast<std::ptrdiff_t>(row) * job.y_row;
    float* dy = job.dy + static_cast<std::ptrdiff_t>(row) * job.dy_row;
    float* dbias =
        job.dbias == nullptr ? nullptr : job.dbias + static_cast<std::ptrdiff_t>(row) * job.dbias_row;
    auto sum = Block<Arch>::broadcast(0.0F);
    sweep<Arch>(job.columns, [&](std::size_t i, auto count) {
      sum = muladd(load<Arch>(y + i, count), load<Arch>(dy + i, count), sum);
    });
    const auto dot = Block<Arch>::broadcast(sum.sum());
    sweep<Arch>(job.columns, [&](std::size_t i, auto count) {
      const auto gradient = load<Arch>(y + i, count) * (load<Arch>(dy + i, count) - dot);
      if (dbias != nullptr) store<Arch>(load<Arch>(dbias + i, count) + gradient, dbias + i, count);
      store<Arch>(gradient * scale, dy + i, count);
    });
  }
}

template <class Arch>
void soft_cap(float* x, float scale, float cap, std::size_t count) noexcept {
  using F = Floats<Arch>;
  const F inner(scale / cap), outer(cap);
  sweep<Arch>(count, [&](std::size_t i, auto n) {
    const auto value = load<Arch>(x + i, n).map([&](F v) { return outer * kernels::tanh<Arch>(v * inner); });
    store<Arch>(value, x + i, n);
  });
}

template <class Arch>
void soft_cap_backward(const float* x, float scale, float cap, float* dy, std::size_t count) noexcept {
  using F = Floats<Arch>;
  const F inner(scale / cap);
  sweep<Arch>(count, [&](std::size_t i, auto n) {
    const auto slope = load<Arch>(x + i, n).map([&](F v) { return tanh_derivative<Arch>(v * inner); });
    store<Arch>(load<Arch>(dy + i, n) * slope, dy + i, n);
  });
}

template <class Arch>
float log_sum_exp(const float* x, std::size_t count) noexcept {
  using F = Floats<Arch>;
  constexpr float lowest = -__builtin_inff();
  auto largest = Block<Arch>::broadcast(lowest);
  sweep<Arch>(count, [&](std::size_t i, auto n) {
    largest = largest.map(load<Arch>(x + i, n, lowest), [](F a, F b) { return xsimd::select(a < b, b, a); });
  });
  const float shift = largest.max();
  const auto shifts = Block<Arch>::broadcast(shift);
  auto sum = Block<Arch>::broadcast(0.0F);
  sweep<Arch>(count, [&](std::size_t i, auto n) {
    sum = sum + (load<Arch>(x + i, n, lowest) - shifts).map([](F v) { return kernels::exp<Arch>(v); });
  });
  const float total = sum.sum();
  // NaN stays NaN; the logarithm below is for normal numbers, and the largest term alone makes the sum at
  // least 1.
  if (!(total >= 1.0F && total < __builtin_inff())) return total + shift;
  return static_cast<float>(static_cast<double>(shift) + kernels::log<Arch>(static_cast<double>(total)));
}

template <class Arch>
void exp_shifted(const float* x, float shift, float factor, float* y, std::size_t count) noexcept {
  using F = Floats<Arch>;
  sweep<Arch>(count, [&](std::size_t i, auto n) {
    const auto value =
        load<Arch>(x + i, n).map([&](F v) { return F(factor) * kernels::exp<Arch>(v - F(shift)); });
    store<Arch>(value, y + i, n);
  });
}

}  // namespace ropewalk::kernels
