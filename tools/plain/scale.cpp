// The least that touching every number can cost, which is the limit of any rotation: unrolled by four
// vectors, without which the loop and not the memory is what is measured.
#include <wasm_simd128.h>

extern "C" {

/// `count` is a multiple of 16.
void limit_scale(float* x, int count, float factor) {
  const v128_t f = wasm_f32x4_splat(factor);
  for (float* end = x + count; x < end; x += 16) {
    const v128_t a = wasm_v128_load(x), b = wasm_v128_load(x + 4), c = wasm_v128_load(x + 8),
                 d = wasm_v128_load(x + 12);
    wasm_v128_store(x, wasm_f32x4_mul(a, f));
    wasm_v128_store(x + 4, wasm_f32x4_mul(b, f));
    wasm_v128_store(x + 8, wasm_f32x4_mul(c, f));
    wasm_v128_store(x + 12, wasm_f32x4_mul(d, f));
  }
}

}  // extern "C"
