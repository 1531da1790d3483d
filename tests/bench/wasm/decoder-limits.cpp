// Limits that a decoder's token is compared with: reading every weight once, and a plain loop over blocks of 8-bit integers with
// a scale each, as llama2.c's runq.c has it (Karpathy, 2023), which the compiler may vectorise as it likes.

#include <wasm_simd128.h>

#include <cmath>
#include <cstdint>

extern "C" {

/// Sums `bytes`, a multiple of 128, so that none can be left out.
int limit_read(const char* from, int bytes) {
  v128_t sum[8] = {};
  for (const char* const end = from + bytes; from != end; from += 128) {
#pragma clang loop unroll(full)
    for (int i = 0; i < 8; ++i) sum[i] = wasm_i32x4_add(sum[i], wasm_v128_load(from + 16 * i));
  }
  v128_t total = sum[0];
  for (int i = 1; i < 8; ++i) total = wasm_i32x4_add(total, sum[i]);
  return wasm_i32x4_extract_lane(total, 0);
}

/// x (k) as whole numbers from -127 to 127, with a scale for each 32.
void plain_quantise(std::int8_t* q, float* scales, const float* x, int k) {
  for (int at = 0; at < k; at += 32) {
    float largest = 0;
    for (int i = 0; i < 32; ++i) largest = std::fmax(largest, std::fabs(x[at + i]));
    const float scale = largest / 127;
    scales[at / 32] = scale;
    for (int i = 0; i < 32; ++i)
      q[at + i] = static_cast<std::int8_t>(scale == 0 ? 0 : std::nearbyintf(x[at + i] / scale));
  }
}

/// y (n) = w (n,k) x (k)
void plain_blocks(float* y, const std::int8_t* x, const float* x_scales, const std::int8_t* w,
                  const float* w_scales, int k, int n) {
  for (int row = 0; row < n; ++row, w += k, w_scales += k / 32) {
    float sum = 0;
    for (int at = 0; at < k; at += 32) {
      std::int32_t products = 0;
      for (int i = 0; i < 32; ++i) products += static_cast<std::int32_t>(x[at + i]) * w[at + i];
      sum += static_cast<float>(products) * w_scales[at / 32] * x_scales[at / 32];
    }
    y[row] = sum;
  }
}

}  // extern "C"
