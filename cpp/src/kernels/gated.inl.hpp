#pragma once

// Gated linear units (Dauphin et al. 2017, Shazeer 2020): act(gate) * up in one pass, and its gradient.

#include "kernels/activation.inl.hpp"
#include "kernels/dense.hpp"

namespace ropewalk::kernels {

template <class Arch, class F>
void gated(const GatedJob& job) noexcept {
  const float* gate = job.gate;
  const float* up = job.up;
  float* y = job.y;
  for (std::size_t m = 0; m < job.m; ++m, gate += job.row, up += job.row, y += job.n) {
    sweep<Arch>(job.n, [&](std::size_t i, auto count) {
      const auto open =
          load<Arch>(gate + i, count).map([](Floats<Arch> v) { return F::template value<Arch>(v); });
      store<Arch>(open * load<Arch>(up + i, count), y + i, count);
    });
  }
}

template <class Arch, class F>
void gated_backward(const GatedBackwardJob& job) noexcept {
  const float* dy = job.dy;
  std::ptrdiff_t at = 0;
  for (std::size_t m = 0; m < job.m; ++m, at += job.row, dy += job.n) {
    const float* gate = job.gate + at;
    const float* up = job.up + at;
    float* dgate = job.dgate + at;
    float* dup = job.dup + at;
    sweep<Arch>(job.n, [&](std::size_t i, auto count) {
      const auto x = load<Arch>(gate + i, count), out = load<Arch>(dy + i, count);
      const auto slope = x.map([](Floats<Arch> v) { return F::template derivative<Arch>(v); });
      const auto open = x.map([](Floats<Arch> v) { return F::template value<Arch>(v); });
      // Both are loaded before either is stored: the gradient may replace the product.
      const auto gradient = out * load<Arch>(up + i, count) * slope;
      store<Arch>(out * open, dup + i, count);
      store<Arch>(gradient, dgate + i, count);
    });
  }
}

}  // namespace ropewalk::kernels
