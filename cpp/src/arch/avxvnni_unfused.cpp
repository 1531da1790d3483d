// AVX2, F16C and AVX-VNNI, the dot products of bytes, without fused multiply-adds: the bits of WebAssembly, for models in
// 8 bits.

#include "arch/avx2.inl.hpp"

namespace ropewalk::kernels {

template <>
struct GemmTile<xsimd::avxvnni> {  // 16 registers of 8
  static constexpr std::size_t rows = 6, vectors = 2, single_row_panels = 4, depth = 384, block_rows = 120;
};

template <>
struct Pairs16<xsimd::avxvnni> : Avx2Pairs16<xsimd::avxvnni> {};
template <>
struct Halves<xsimd::avxvnni> : Avx2Halves<xsimd::avxvnni> {};
template <>
struct NativeFloat16<xsimd::avxvnni> : Avx2NativeFloat16<xsimd::avxvnni> {};

template <>
struct Dot4<xsimd::avxvnni> {
  static constexpr bool exists = true;
  using I = Ints<xsimd::avxvnni>;
  static I add(I a, I b, I sum) noexcept { return I(_mm256_dpbusd_avx_epi32(sum.data, b.data, a.data)); }
};

}  // namespace ropewalk::kernels

#include "kernels/make_kernels.inl.hpp"

namespace ropewalk::arch {
extern const kernels::Kernels avxvnni_unfused;
constexpr kernels::Kernels avxvnni_unfused = kernels::make_kernels<xsimd::avxvnni>("avxvnni_unfused");
}  // namespace ropewalk::arch
