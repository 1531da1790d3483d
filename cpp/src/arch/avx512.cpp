#include "kernels/make_kernels.inl.hpp"

namespace ropewalk::arch {
extern const kernels::Kernels avx512;
constexpr kernels::Kernels avx512 = kernels::make_kernels<xsimd::avx512bw>("avx512", /*fused=*/true);
}  // namespace ropewalk::arch
