// Advanced SIMD (NEON), which every 64-bit ARM processor has. xsimd fuses some multiply-adds here and not others.
// `fused` stays false, so that none is, and the bits are those of WebAssembly.

#include <arm_neon.h>

#include "kernels/arch.inl.hpp"

namespace ropewalk::kernels {

template <>
struct Exact<xsimd::neon64> {
  using F = Floats<xsimd::neon64>;
  static F divide(F a, F b) noexcept { return vdivq_f32(a, b); }
  static F square_root(F x) noexcept { return vsqrtq_f32(x); }
};

template <>
struct GemmTile<xsimd::neon64> {  // 32 registers of 4
  static constexpr std::size_t rows = 8, vectors = 2, single_row_panels = 4, depth = 512, block_rows = 128;
};

template <>
struct Pairs16<xsimd::neon64> {
  using I = Ints<xsimd::neon64>;
  static I add(I a, I b, I sum) noexcept {
    return I(vpaddq_s32(vmull_s16(low(a), low(b)), vmull_s16(high(a), high(b)))) + sum;
  }
  static I widen(const std::int8_t* bytes) noexcept {
    return I(vreinterpretq_s32_s16(vmovl_s8(vld1_s8(bytes))));
  }

 private:
  static int16x4_t low(I x) noexcept { return vget_low_s16(vreinterpretq_s16_s32(x)); }
  static int16x4_t high(I x) noexcept { return vget_high_s16(vreinterpretq_s16_s32(x)); }
};

template <>
struct Halves<xsimd::neon64> {
  using W = Words<xsimd::neon64>;
  static W load(const std::uint16_t* x) noexcept { return vmovl_u16(vld1_u16(x)); }
  static void store(std::uint16_t* y, W words) noexcept { vst1_u16(y, vmovn_u32(words)); }
  static W join(W even, W odd) noexcept { return vbslq_u32(vdupq_n_u32(0xffffu), even, odd); }
};

template <>
struct NativeFloat16<xsimd::neon64> {
  static constexpr bool exists = true;
  using F = Floats<xsimd::neon64>;
  static F load(const std::uint16_t* x) noexcept { return widened(vld1_u16(x)); }
  static void store(std::uint16_t* y, F value) noexcept { vst1_u16(y, narrowed(value)); }
  static void load_pairs(const std::uint16_t* x, F& a, F& b) noexcept {
    const uint16x4x2_t pairs = vld2_u16(x);
    a = widened(pairs.val[0]);
    b = widened(pairs.val[1]);
  }
  static void store_pairs(std::uint16_t* y, F a, F b) noexcept {
    vst2_u16(y, uint16x4x2_t{{narrowed(a), narrowed(b)}});
  }

 private:
  static F widened(uint16x4_t halves) noexcept { return vcvt_f32_f16(vreinterpret_f16_u16(halves)); }
  static uint16x4_t narrowed(F value) noexcept { return vreinterpret_u16_f16(vcvt_f16_f32(value)); }
};

}  // namespace ropewalk::kernels

#include "kernels/make_kernels.inl.hpp"

namespace ropewalk::arch {
extern const kernels::Kernels neon;
constexpr kernels::Kernels neon = kernels::make_kernels<xsimd::neon64>("neon");
}  // namespace ropewalk::arch
