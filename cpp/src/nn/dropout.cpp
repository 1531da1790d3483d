#include "nn/dropout.hpp"

namespace ropewalk::nn {
namespace {

/// splitmix64 (Steele, Lea and Flood 2014) of a counter: neighbours share no bits that a mask could show.
std::uint32_t hash24(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return static_cast<std::uint32_t>(z >> 40);
}

/// In 2^-24: what float32 holds exactly.
std::uint32_t threshold(float keep) { return static_cast<std::uint32_t>(keep * 16777216.0F); }

}  // namespace

bool dropout_keeps(std::uint64_t seed, std::uint64_t index, float keep) {
  return hash24(seed, index) < threshold(keep);
}

void dropout(float* y, const float* x, std::size_t count, float keep, std::uint64_t seed,
             std::uint64_t first) {
  const std::uint32_t limit = threshold(keep);
  const float scale = 1.0F / keep;
  for (std::size_t i = 0; i < count; ++i) y[i] = hash24(seed, first + i) < limit ? x[i] * scale : 0.0F;
}

}  // namespace ropewalk::nn
