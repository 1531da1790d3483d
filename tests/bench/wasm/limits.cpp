// A limit that no program can beat: multiply-adds that wait for nothing. (Every element read, multiplied once and
// written is tools/plain/scale.cpp.)

#include <wasm_simd128.h>

namespace {

/// `rounds` multiply-adds on each of Count accumulators, independent of each other.
template <int Count>
float multiply_add(int rounds, float start) {
  const v128_t factor = wasm_f32x4_splat(0.999F), step = wasm_f32x4_splat(0.001F);
  v128_t sum[Count];
  for (int i = 0; i < Count; ++i) sum[i] = wasm_f32x4_splat(start + static_cast<float>(i));
  for (int r = 0; r < rounds; ++r) {
#pragma clang loop unroll(full)
    for (int i = 0; i < Count; ++i) sum[i] = wasm_f32x4_add(wasm_f32x4_mul(sum[i], factor), step);
  }
  v128_t total = sum[0];
  for (int i = 1; i < Count; ++i) total = wasm_f32x4_add(total, sum[i]);
  return wasm_f32x4_extract_lane(total, 0);
}

/// 4 x 2 accumulators whose factors come from the first-level cache, a chain of additions each: where a
/// multiplication takes long, as many accumulators as registers hold do not hide multiplying in the chain.
float multiply_add_loaded(int rounds, float start) {
  alignas(16) static float factors[128];
  for (int i = 0; i < 128; ++i) factors[i] = (i % 2 == 0 ? start : -start) * 0.001F;
  v128_t sum[4][2] = {};
  for (int r = 0; r < rounds; ++r) {
    const float* at = factors + r % 8 * 16;
    const v128_t row[2] = {wasm_v128_load(at), wasm_v128_load(at + 4)};
#pragma clang loop unroll(full)
    for (int i = 0; i < 4; ++i) {
      const v128_t element = wasm_v128_load32_splat(at + 8 + i);
      sum[i][0] = wasm_f32x4_add(sum[i][0], wasm_f32x4_mul(element, row[0]));
      sum[i][1] = wasm_f32x4_add(sum[i][1], wasm_f32x4_mul(element, row[1]));
    }
  }
  v128_t total = wasm_f32x4_splat(0);
  for (auto& each : sum) total = wasm_f32x4_add(total, wasm_f32x4_add(each[0], each[1]));
  return wasm_f32x4_extract_lane(total, 0);
}

}  // namespace

extern "C" {

// 8 * accumulators operations per round; which number of accumulators is best depends on the engine.
float limit_multiply_add_8(int rounds, float start) { return multiply_add<8>(rounds, start); }
float limit_multiply_add_10(int rounds, float start) { return multiply_add<10>(rounds, start); }
float limit_multiply_add_12(int rounds, float start) { return multiply_add<12>(rounds, start); }

float limit_multiply_add_loaded(int rounds, float start) { return multiply_add_loaded(rounds, start); }

}  // extern "C"
