#include "kernels/make_kernels.inl.hpp"

namespace ropewalk::arch {
extern const kernels::Kernels sse2;
constexpr kernels::Kernels sse2 = kernels::make_kernels<xsimd::sse2>("sse2", /*fused=*/false);
}  // namespace ropewalk::arch
