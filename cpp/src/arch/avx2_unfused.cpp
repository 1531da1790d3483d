// AVX2 and F16C without fused multiply-adds: the bits of WebAssembly, for models in 8 bits.

#include "arch/avx2.inl.hpp"

namespace ropewalk::kernels {

template <>
struct GemmTile<xsimd::avx2> {  // 16 registers of 8
  static constexpr std::size_t rows = 6, vectors = 2, single_row_panels = 4, depth = 384, block_rows = 120;
};

template <>
struct Pairs16<xsimd::avx2> : Avx2Pairs16<xsimd::avx2> {};
template <>
struct Dot4<xsimd::avx2> : Avx2Dot4<xsimd::avx2> {};
template <>
struct Halves<xsimd::avx2> : Avx2Halves<xsimd::avx2> {};
template <>
struct NativeFloat16<xsimd::avx2> : Avx2NativeFloat16<xsimd::avx2> {};

}  // namespace ropewalk::kernels

#include "kernels/make_kernels.inl.hpp"

namespace ropewalk::arch {
extern const kernels::Kernels avx2_unfused;
constexpr kernels::Kernels avx2_unfused = kernels::make_kernels<xsimd::avx2>("avx2_unfused");
}  // namespace ropewalk::arch
