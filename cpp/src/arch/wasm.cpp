#include "kernels/make_kernels.inl.hpp"

namespace ropewalk::arch {
extern const kernels::Kernels wasm;
constexpr kernels::Kernels wasm = kernels::make_kernels<xsimd::wasm>("wasm", /*fused=*/false);
}  // namespace ropewalk::arch
