// The products of 8-bit integers by WebAssembly's relaxed SIMD, as a module of its own that works in the memory of a module
// of models: bindings/embind/int8_kernels.cpp tries it and takes it into use. It may have no data, since its memory is
// another's, and no table. Its stack is what that module gives it.

#include <wasm_simd128.h>

#include "kernels/arch.inl.hpp"
#include "kernels/int8.inl.hpp"
#include "kernels/int8_blocks.inl.hpp"
#include "kernels/screen.inl.hpp"

namespace ropewalk::kernels {

// An engine may take a byte of `b` from 128 on as signed or not, and may saturate the sum of two products at 16 bits or not.
// Neither can happen: `b` has 7 bits, and two products of 7 by 8 bits are at most 32258.
template <>
struct Dot4<xsimd::wasm> {
  static constexpr bool exists = true;
  using I = Ints<xsimd::wasm>;
  static I add(I a, I b, I sum) noexcept {
    return I(wasm_i32x4_relaxed_dot_i8x16_i7x16_add(a.data, b.data, sum.data));
  }
};

namespace {
using Form = Quads<xsimd::wasm>;
}

// In the order of Int8Kernels.
extern "C" {
[[clang::export_name("0")]] void rows_pack(const PackInt8Job* job) { pack_int8<Form>(*job); }
[[clang::export_name("1")]] void rows_unpack(const UnpackInt8Job* job) { unpack_int8<Form>(*job); }
[[clang::export_name("2")]] void rows_gemm(const Int8Job* job) { gemm_int8<Form>(*job); }
[[clang::export_name("3")]] void blocks_pack(const PackBlocksJob* job) { pack_blocks<Form>(*job); }
[[clang::export_name("4")]] void blocks_unpack(const UnpackBlocksJob* job) { unpack_blocks<Form>(*job); }
[[clang::export_name("5")]] void blocks_scale(const ScaleBlocksJob* job) {
  scale_blocks_of<Form::Arch>(*job);
}
[[clang::export_name("6")]] void blocks_gemm(const BlocksJob* job) { gemm_blocks<Form>(*job); }
[[clang::export_name("7")]] void screen_near(const ScreenJob* job) { screen<Form>(*job); }
}

}  // namespace ropewalk::kernels
