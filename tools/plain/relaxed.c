// The rotations of loops.cpp with the multiply-add of relaxed SIMD, whose rounding is the processor's choice.
// Written by hand, since LLVM 21 contracts a * b + c to f32x4.relaxed_madd with its operands in the wrong
// order (-ffp-contract=fast -mrelaxed-simd), which gives wrong numbers.
//   emcc -O3 -msimd128 -mrelaxed-simd
//
// x is (B,S,H,D), rotated in place, D a multiple of 8; tables are (S,D/2).
#include <wasm_simd128.h>

// (a c - b n, a n + b c)
#define TURN(a, b, c, n, first, second)                                      \
  const v128_t first = wasm_f32x4_relaxed_nmadd(b, n, wasm_f32x4_mul(a, c)); \
  const v128_t second = wasm_f32x4_relaxed_madd(b, c, wasm_f32x4_mul(a, n))

void plain_half(float* x, const float* cosine, const float* sine, int batch, int sequence, int heads,
                int dim) {
  const int pairs = dim / 2;
  for (int row = 0; row < batch * sequence; ++row) {
    const float* const cos = cosine + row % sequence * pairs;
    const float* const sin = sine + row % sequence * pairs;
    for (int h = 0; h < heads; ++h, x += dim) {
      for (int j = 0; j < pairs; j += 4) {
        const v128_t a = wasm_v128_load(x + j), b = wasm_v128_load(x + pairs + j);
        const v128_t c = wasm_v128_load(cos + j), n = wasm_v128_load(sin + j);
        TURN(a, b, c, n, first, second);
        wasm_v128_store(x + j, first);
        wasm_v128_store(x + pairs + j, second);
      }
    }
  }
}

void plain_interleaved(float* x, const float* cosine, const float* sine, int batch, int sequence, int heads,
                       int dim) {
  const int pairs = dim / 2;
  for (int row = 0; row < batch * sequence; ++row) {
    const float* const cos = cosine + row % sequence * pairs;
    const float* const sin = sine + row % sequence * pairs;
    for (int h = 0; h < heads; ++h, x += dim) {
      for (int j = 0; j < pairs; j += 4) {
        const v128_t low = wasm_v128_load(x + 2 * j), high = wasm_v128_load(x + 2 * j + 4);
        const v128_t a = wasm_i32x4_shuffle(low, high, 0, 2, 4, 6),
                     b = wasm_i32x4_shuffle(low, high, 1, 3, 5, 7);
        const v128_t c = wasm_v128_load(cos + j), n = wasm_v128_load(sin + j);
        TURN(a, b, c, n, first, second);
        wasm_v128_store(x + 2 * j, wasm_i32x4_shuffle(first, second, 0, 4, 1, 5));
        wasm_v128_store(x + 2 * j + 4, wasm_i32x4_shuffle(first, second, 2, 6, 3, 7));
      }
    }
  }
}
