#pragma once

// Gated linear units (Dauphin et al. 2017, Shazeer 2020): act(gate) * up in one pass, and its gradient.

#include <type_traits>

#include "kernels/activation.inl.hpp"
#include "kernels/dense.hpp"

namespace ropewalk::kernels {

/// Hardly any network is gated by these. They go by their maps, in pieces that stay in the cache and with the same bits:
/// loops of their own would take 28 KB of the module that trains.
template <class F>
inline constexpr bool is_rare_gate = std::is_same_v<F, Tanh> || std::is_same_v<F, Sigmoid>;
inline constexpr std::size_t gated_piece = 256;

template <class Arch>
[[gnu::noinline]] void gated_by_map(const GatedJob& job, Map* value) noexcept {
  alignas(64) float open[gated_piece];
  for (std::size_t m = 0; m < job.m; ++m) {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(m) * job.row;
    for (std::size_t begin = 0; begin < job.n; begin += gated_piece) {
      const std::size_t n = job.n - begin < gated_piece ? job.n - begin : gated_piece;
      const float* const up = job.up + at + begin;
      float* const y = job.y + m * job.n + begin;
      value(job.gate + at + begin, open, n);
      sweep<Arch>(n, [&](std::size_t i, auto count) {
        store<Arch>(load<Arch>(open + i, count) * load<Arch>(up + i, count), y + i, count);
      });
    }
  }
}

template <class Arch>
[[gnu::noinline]] void gated_backward_by_map(const GatedBackwardJob& job, Map* value,
                                             MapBackward* derivative) noexcept {
  alignas(64) float open[gated_piece], gradient[gated_piece];
  for (std::size_t m = 0; m < job.m; ++m) {
    for (std::size_t begin = 0; begin < job.n; begin += gated_piece) {
      const std::size_t n = job.n - begin < gated_piece ? job.n - begin : gated_piece;
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(m) * job.row + static_cast<std::ptrdiff_t>(begin);
      const float *const gate = job.gate + at, *const up = job.up + at;
      const float* const dy = job.dy + m * job.n + begin;
      float *const dgate = job.dgate + at, *const dup = job.dup + at;
      value(gate, open, n);
      sweep<Arch>(n, [&](std::size_t i, auto count) {
        store<Arch>(load<Arch>(dy + i, count) * load<Arch>(up + i, count), gradient + i, count);
      });
      // The gradients may replace gate and up, which are not read again.
      derivative(gate, gradient, dgate, n);
      sweep<Arch>(n, [&](std::size_t i, auto count) {
        store<Arch>(load<Arch>(dy + i, count) * load<Arch>(open + i, count), dup + i, count);
      });
    }
  }
}

template <class Arch, class F>
void gated(const GatedJob& job) noexcept {
  if constexpr (is_rare_gate<F>) return gated_by_map<Arch>(job, map<Arch, F>);
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
  if constexpr (is_rare_gate<F>) return gated_backward_by_map<Arch>(job, map<Arch, F>, map_backward<Arch, F>);
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
