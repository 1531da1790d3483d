// AVX-512 with VNNI, the dot products of bytes, without fused multiply-adds: the bits of WebAssembly, for models in 8 bits.

#include "arch/avx512.inl.hpp"

namespace ropewalk::kernels {

template <>
struct GemmTile<xsimd::avx512vnni<xsimd::avx512bw>> {  // 32 registers of 16
  static constexpr std::size_t rows = 12, vectors = 2, single_row_panels = 4, depth = 256, block_rows = 120;
};

template <>
struct Pairs16<xsimd::avx512vnni<xsimd::avx512bw>> : Avx512Pairs16<xsimd::avx512vnni<xsimd::avx512bw>> {};
template <>
struct Halves<xsimd::avx512vnni<xsimd::avx512bw>> : Avx512Halves<xsimd::avx512vnni<xsimd::avx512bw>> {};
template <>
struct NativeFloat16<xsimd::avx512vnni<xsimd::avx512bw>>
    : Avx512NativeFloat16<xsimd::avx512vnni<xsimd::avx512bw>> {};

template <>
struct Dot4<xsimd::avx512vnni<xsimd::avx512bw>> {
  static constexpr bool exists = true;
  using I = Ints<xsimd::avx512vnni<xsimd::avx512bw>>;
  static I add(I a, I b, I sum) noexcept { return I(_mm512_dpbusd_epi32(sum.data, b.data, a.data)); }
};

}  // namespace ropewalk::kernels

#include "kernels/make_kernels.inl.hpp"

namespace ropewalk::arch {
extern const kernels::Kernels avx512vnni_unfused;
constexpr kernels::Kernels avx512vnni_unfused =
    kernels::make_kernels<xsimd::avx512vnni<xsimd::avx512bw>>("avx512vnni_unfused");
}  // namespace ropewalk::arch
