#include "kernels/make_kernels.inl.hpp"

namespace ropewalk::arch {
extern const kernels::Kernels avx2;
constexpr kernels::Kernels avx2 = kernels::make_kernels<xsimd::fma3<xsimd::avx2>>("avx2", /*fused=*/true);
}  // namespace ropewalk::arch
