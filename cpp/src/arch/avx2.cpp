// AVX2 with FMA3 and F16C.

#include "arch/avx2.inl.hpp"

namespace ropewalk::kernels {

template <>
inline constexpr bool fused<xsimd::fma3<xsimd::avx2>> = true;

template <>
struct GemmTile<xsimd::fma3<xsimd::avx2>> {  // 16 registers of 8
  static constexpr std::size_t rows = 6, vectors = 2, single_row_panels = 4, depth = 384, block_rows = 120;
};

template <>
struct Pairs16<xsimd::fma3<xsimd::avx2>> : Avx2Pairs16<xsimd::fma3<xsimd::avx2>> {};
template <>
struct Halves<xsimd::fma3<xsimd::avx2>> : Avx2Halves<xsimd::fma3<xsimd::avx2>> {};
template <>
struct NativeFloat16<xsimd::fma3<xsimd::avx2>> : Avx2NativeFloat16<xsimd::fma3<xsimd::avx2>> {};

}  // namespace ropewalk::kernels

#include "kernels/make_kernels.inl.hpp"

namespace ropewalk::arch {
extern const kernels::Kernels avx2;
constexpr kernels::Kernels avx2 = kernels::make_kernels<xsimd::fma3<xsimd::avx2>>("avx2");
}  // namespace ropewalk::arch
