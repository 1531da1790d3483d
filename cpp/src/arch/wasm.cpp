// WebAssembly's 128-bit SIMD.

#include <wasm_simd128.h>

#include "kernels/arch.inl.hpp"

namespace ropewalk::kernels {

template <>
struct Pairs16<xsimd::wasm> {
  using I = Ints<xsimd::wasm>;
  static I add(I a, I b, I sum) noexcept { return I(wasm_i32x4_dot_i16x8(a.data, b.data)) + sum; }
  static I widen(const std::int8_t* bytes) noexcept { return I(wasm_i16x8_load8x8(bytes)); }
};

template <>
struct Halves<xsimd::wasm> {
  static Words<xsimd::wasm> load(const std::uint16_t* x) noexcept { return wasm_u32x4_load16x4(x); }
  static void store(std::uint16_t* y, Words<xsimd::wasm> words) noexcept {
    wasm_v128_store64_lane(y, wasm_u16x8_narrow_i32x4(words, words), 0);
  }
  using W = Words<xsimd::wasm>;
  static W join(W even, W odd) noexcept { return wasm_i16x8_shuffle(even, odd, 0, 9, 2, 11, 4, 13, 6, 15); }
};

}  // namespace ropewalk::kernels

#include "kernels/make_kernels.inl.hpp"

namespace ropewalk::arch {
extern const kernels::Kernels wasm;
constexpr kernels::Kernels wasm = kernels::make_kernels<xsimd::wasm>("wasm");
}  // namespace ropewalk::arch
