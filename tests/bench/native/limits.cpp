// Compiled with -march=native: how fast this machine can go.

#include <cstddef>

#include "candidate.hpp"

namespace bench {

namespace {
#if defined(__AVX512F__)
constexpr std::size_t width = 16, accumulators = 16;
#elif defined(__AVX__)
constexpr std::size_t width = 8, accumulators = 12;
#else
constexpr std::size_t width = 4, accumulators = 12;
#endif
typedef float Vector __attribute__((vector_size(width * sizeof(float))));
}  // namespace

const std::size_t peak_floats = width * accumulators;

void scale(float* x, std::size_t count, float factor) {
  for (std::size_t i = 0; i < count; ++i) x[i] *= factor;
}

float multiply_add(long rounds, float start) {
  Vector sum[accumulators], factor, step;
  for (std::size_t l = 0; l < width; ++l) {
    factor[l] = 0.999F;
    step[l] = 0.001F;
  }
  for (std::size_t i = 0; i < accumulators; ++i) {
    for (std::size_t l = 0; l < width; ++l) sum[i][l] = start + static_cast<float>(i);
  }
  for (long r = 0; r < rounds; ++r) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < accumulators; ++i) sum[i] = sum[i] * factor + step;
  }
  float total = 0;
  for (std::size_t i = 0; i < accumulators; ++i) total += sum[i][0];
  return total;
}

}  // namespace bench
