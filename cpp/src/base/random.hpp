// Random numbers that are the same on every platform: xoshiro256** seeded by splitmix64.
//
//   Random random(7);
//   random.below(6);                   // 0..5, each exactly as likely
//   random.uniform();                  // [0, 1), a multiple of 2^-53
//   random.normal();                   // standard normal
//   Random masks = random.fork(1);     // an independent stream, however far `random` has run
//
// The distributions of <random> differ between standard libraries, and log and cos between maths libraries,
// so a model trained here could not be trained again elsewhere. Everything below needs only integers,
// comparisons, and single products and quotients of doubles, which IEEE 754 rounds alike everywhere.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace ropewalk {

class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(seed) {
    std::uint64_t counter = seed;
    for (std::uint64_t& word : state_) word = mix(counter += golden_gamma);
  }

  // 64 random bits. Blackman and Vigna, "Scrambled linear pseudorandom number generators" (2021).
  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // A whole number in [0, limit), without modulo bias; 0 when `limit` is 0.
  std::uint64_t below(std::uint64_t limit) {
    if (limit < 2) return 0;
    // The lowest 2^64 mod limit values would make small results likelier, so they are drawn again.
    const std::uint64_t first_fair = (0 - limit) % limit;
    std::uint64_t bits = next();
    while (bits < first_fair) bits = next();
    return bits % limit;
  }

  // A double in [0, 1) with 53 random bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  // True with the given probability.
  bool chance(double probability) { return uniform() < probability; }

  // A standard normal deviate by rejection that needs no logarithm and no exponential:
  // Karney, "Sampling exactly from the normal distribution" (2016), algorithm N. About 30 draws each.
  double normal() {
    for (;;) {
      // k with probability proportional to exp(-k/2), kept with probability exp(-k(k-1)/2).
      int k = 0;
      while (exp_minus(0.5)) ++k;
      bool kept = true;
      for (int i = 0; kept && i < k * (k - 1); ++i) kept = exp_minus(0.5);
      if (!kept) continue;
      // The fraction x, kept with probability exp(-x(2k+x)/2), in k+1 factors with exponents of at most 1.
      const double x = uniform();
      const double exponent = x * (2 * k + x) / (2 * k + 2);
      for (int i = 0; kept && i <= k; ++i) kept = exp_minus(exponent);
      if (!kept) continue;
      const double magnitude = k + x;
      return (next() >> 63) != 0 ? -magnitude : magnitude;
    }
  }

  // The stream numbered `stream` of this generator's seed. It does not depend on what was drawn before.
  Random fork(std::uint64_t stream) const {
    return Random(mix(mix(seed_ + golden_gamma) ^ mix(stream + 2 * golden_gamma)));
  }

 private:
  static constexpr std::uint64_t golden_gamma = 0x9e3779b97f4a7c15u;

  // The output function of splitmix64 (Steele, Lea and Flood, 2014).
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  // True with probability exp(-exponent), 0 <= exponent <= 1: von Neumann's falling sequence. The run
  // exponent > u1 > u2 > ... has even length with probability 1 - e + e^2/2! - ... = exp(-exponent).
  bool exp_minus(double exponent) {
    double last = exponent;
    bool even = true;
    for (;;) {
      const double draw = uniform();
      if (draw >= last) return even;
      last = draw;
      even = !even;
    }
  }

  std::uint64_t seed_;
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace ropewalk
