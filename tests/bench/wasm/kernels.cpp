// The matrix product of the model's module, which the package does not export, for the bench alone.

#include "kernels/kernels.hpp"

namespace ropewalk::arch {
extern const kernels::Kernels wasm;
}

using ropewalk::arch::wasm;

extern "C" {

unsigned kernel_packed_size(unsigned k, unsigned n) {
  return static_cast<unsigned>(wasm.dense.packed_size(k, n));
}

/// A weight (n,k), as checkpoints hold it.
void kernel_pack(const float* weight, float* packed, unsigned k, unsigned n) {
  ropewalk::kernels::PackJob job{};
  job.b = weight;
  job.k_stride = 1;
  job.n_stride = static_cast<std::ptrdiff_t>(k);
  job.packed = packed;
  job.k = k;
  job.n = n;
  wasm.dense.pack(job);
}

/// c (m,n) = a (m,k) b (k,n)
void kernel_gemm(const float* a, const float* packed, float* c, unsigned m, unsigned k, unsigned n) {
  ropewalk::kernels::GemmJob job{};
  job.a = a;
  job.a_row = static_cast<std::ptrdiff_t>(k);
  job.a_k = 1;
  job.b = packed;
  job.c = c;
  job.c_row = static_cast<std::ptrdiff_t>(n);
  job.m = m;
  job.n = n;
  job.k = k;
  wasm.dense.gemm(job);
}

}  // extern "C"
