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
  static W load_all(const std::uint16_t* x) noexcept { return wasm_v128_load(x); }
  static void store_all(std::uint16_t* y, W halves) noexcept { wasm_v128_store(y, halves); }
  static W load_two(const std::uint16_t* a, const std::uint16_t* b) noexcept {
    return wasm_v128_load64_lane(b, wasm_v128_load64_zero(a), 1);
  }
  static void store_two(std::uint16_t* a, std::uint16_t* b, W halves) noexcept {
    wasm_v128_store64_lane(a, halves, 0);
    wasm_v128_store64_lane(b, halves, 1);
  }
  static void unpack(W halves, W& a, W& b) noexcept {
    const v128_t zero = wasm_i32x4_splat(0);
    a = wasm_i16x8_shuffle(zero, halves, 0, 8, 1, 9, 2, 10, 3, 11);
    b = wasm_i16x8_shuffle(zero, halves, 4, 12, 5, 13, 6, 14, 7, 15);
  }
  static bool any_sign(W halves) noexcept { return (wasm_i8x16_bitmask(halves) & 0xaaaa) != 0; }
  static W pack(W a, W b) noexcept { return wasm_u16x8_narrow_i32x4(a & W(0xffffu), b & W(0xffffu)); }
};

}  // namespace ropewalk::kernels

#include "kernels/make_kernels.inl.hpp"

namespace ropewalk::arch {
extern const kernels::Kernels wasm;
constexpr kernels::Kernels wasm = kernels::make_kernels<xsimd::wasm>("wasm");
}  // namespace ropewalk::arch
