#pragma once

// The table of dense kernels of one architecture.

#include "kernels/activation.inl.hpp"
#include "kernels/dense.hpp"
#include "kernels/gemm.inl.hpp"
#include "kernels/int8.inl.hpp"
#include "kernels/norm.inl.hpp"
#include "kernels/softmax.inl.hpp"
#include "kernels/vector.inl.hpp"

namespace ropewalk::kernels {

template <class Arch>
constexpr DenseKernels make_dense() {
  DenseKernels table{};
  static_assert(gemm_panel<Arch> <= widest_panel);
  table.panel = gemm_panel<Arch>;
  table.pack = pack<Arch>;
  table.gemm = gemm<Arch>;
  table.pack_int8 = pack_int8<Arch>;
  table.gemm_int8 = gemm_int8<Arch>;
  table.softmax = softmax<Arch>;
  table.softmax_backward = softmax_backward<Arch>;
  table.norm = norm<Arch>;
  table.norm_backward = norm_backward<Arch>;
  table.log_sum_exp = log_sum_exp<Arch>;
  Map* const forward[activation_count] = {map<Arch, Gelu>, map<Arch, GeluTanh>, map<Arch, Relu>,
                                          map<Arch, Silu>, map<Arch, Linear>};
  MapBackward* const backward[activation_count] = {map_backward<Arch, Gelu>, map_backward<Arch, GeluTanh>,
                                                   map_backward<Arch, Relu>, map_backward<Arch, Silu>,
                                                   map_backward<Arch, Linear>};
  for (std::size_t i = 0; i < activation_count; ++i) {
    table.activation[i] = forward[i];
    table.activation_backward[i] = backward[i];
  }
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

}  // namespace ropewalk::kernels
