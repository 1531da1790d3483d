// AVX-512 as in Skylake-X: F, CD, BW, DQ and VL.

#include "arch/avx512.inl.hpp"

namespace ropewalk::kernels {

template <>
inline constexpr bool fused<xsimd::avx512bw> = true;

template <>
struct GemmTile<xsimd::avx512bw> {  // 32 registers of 16
  static constexpr std::size_t rows = 12, vectors = 2, single_row_panels = 4, depth = 256, block_rows = 120;
};

template <>
struct Pairs16<xsimd::avx512bw> : Avx512Pairs16<xsimd::avx512bw> {};
template <>
struct Halves<xsimd::avx512bw> : Avx512Halves<xsimd::avx512bw> {};
template <>
struct NativeFloat16<xsimd::avx512bw> : Avx512NativeFloat16<xsimd::avx512bw> {};

}  // namespace ropewalk::kernels

#include "kernels/make_kernels.inl.hpp"

namespace ropewalk::arch {
extern const kernels::Kernels avx512;
constexpr kernels::Kernels avx512 = kernels::make_kernels<xsimd::avx512bw>("avx512");
}  // namespace ropewalk::arch
