#pragma once

// The table of dense kernels of one architecture.

#include "kernels/activation.inl.hpp"
#include "kernels/dense.hpp"
#include "kernels/gated.inl.hpp"
#include "kernels/gemm.inl.hpp"
#include "kernels/norm.inl.hpp"
#include "kernels/softmax.inl.hpp"
#include "kernels/vector.inl.hpp"

namespace ropewalk::kernels {

/// In the order of ropewalk::nn::Activation.
template <class... F>
struct Activations {};

template <class Arch, class... F>
constexpr void set_activations(DenseKernels& table, Activations<F...>) {
  static_assert(sizeof...(F) == activation_count);
  std::size_t i = 0;
  ((table.activation[i] = map<Arch, F>, table.activation_backward[i] = map_backward<Arch, F>,
    table.gated[i] = gated<Arch, F>, table.gated_backward[i] = gated_backward<Arch, F>, ++i),
   ...);
}

template <class Arch>
constexpr DenseKernels make_dense() {
  DenseKernels table{};
  static_assert(gemm_panel<Arch> <= widest_panel);
  table.panel = gemm_panel<Arch>;
  table.pack = pack<Arch>;
  table.gemm = gemm<Arch>;
  table.softmax = softmax<Arch>;
  table.softmax_backward = softmax_backward<Arch>;
  table.norm = norm<Arch>;
  table.norm_backward = norm_backward<Arch>;
  table.soft_cap = soft_cap<Arch>;
  table.soft_cap_backward = soft_cap_backward<Arch>;
  table.log_sum_exp = log_sum_exp<Arch>;
  set_activations<Arch>(table, Activations<Gelu, GeluTanh, Relu, Silu, Linear, Sigmoid, Tanh, Relu2>());
  table.exp = map<Arch, Exp>;
  table.erf = map<Arch, Erf>;
  table.tanh = map<Arch, Tanh>;
  table.exp_shifted = exp_shifted<Arch>;
  table.add = add<Arch>;
  table.axpy = axpy<Arch>;
  table.scale = scale<Arch>;
  table.add_rows = add_rows<Arch>;
  table.adam = adam<Arch>;
  table.sum_squares = sum_squares<Arch>;
  return table;
}

constexpr void leave_out_training(DenseKernels& table) {
  table.softmax_backward = nullptr;
  table.norm_backward = nullptr;
  table.soft_cap_backward = nullptr;
  table.log_sum_exp = nullptr;
  for (std::size_t i = 0; i < activation_count; ++i) {
    table.activation_backward[i] = nullptr;
    table.gated_backward[i] = nullptr;
  }
  table.add_rows = nullptr;
  table.adam = nullptr;
  table.sum_squares = nullptr;
}

}  // namespace ropewalk::kernels
