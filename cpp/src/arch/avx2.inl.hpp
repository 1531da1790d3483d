#pragma once

// AVX2 and F16C for the templates of kernels/arch.inl.hpp, for the architectures that build on them.

#include <immintrin.h>

#include "kernels/arch.inl.hpp"

namespace ropewalk::kernels {

template <class Arch>
struct Avx2Pairs16 {
  using I = Ints<Arch>;
  static I add(I a, I b, I sum) noexcept { return I(_mm256_madd_epi16(a.data, b.data)) + sum; }
  static I widen(const std::int8_t* bytes) noexcept {
    return I(_mm256_cvtepi8_epi16(_mm_load_si128(reinterpret_cast<const __m128i*>(bytes))));
  }
};

template <class Arch>
struct Avx2Halves {
  using W = Words<Arch>;
  static W load(const std::uint16_t* x) noexcept {
    return _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x)));
  }
  static void store(std::uint16_t* y, W words) noexcept {
    const __m256i value = words;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y),
                     _mm_packus_epi32(_mm256_castsi256_si128(value), _mm256_extracti128_si256(value, 1)));
  }
  static W join(W even, W odd) noexcept { return _mm256_blend_epi16(even, odd, 0xaa); }
};

template <class Arch>
struct Avx2NativeFloat16 {
  static constexpr bool exists = true;
  using F = xsimd::batch<float, Arch>;
  static F load(const std::uint16_t* x) noexcept {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x)));
  }
  static void store(std::uint16_t* y, F value) noexcept {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y), _mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT));
  }
  static void load_pairs(const std::uint16_t* x, F& a, F& b) noexcept {
    const __m256i pairs = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x));
    const __m256i apart = _mm256_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15,  //
                                           0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
    const __m256i both = _mm256_permute4x64_epi64(_mm256_shuffle_epi8(pairs, apart), 0xd8);
    a = _mm256_cvtph_ps(_mm256_castsi256_si128(both));
    b = _mm256_cvtph_ps(_mm256_extracti128_si256(both, 1));
  }
  static void store_pairs(std::uint16_t* y, F a, F b) noexcept {
    const __m128i first = _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT);
    const __m128i second = _mm256_cvtps_ph(b, _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y), _mm_unpacklo_epi16(first, second));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y) + 1, _mm_unpackhi_epi16(first, second));
  }
};

/// Two products of 7 by 8 bits are at most 32258, so that their sum fits 16 bits.
template <class Arch>
struct Avx2Dot4 {
  static constexpr bool exists = true;
  using I = Ints<Arch>;
  static I add(I a, I b, I sum) noexcept {
    return I(_mm256_madd_epi16(_mm256_maddubs_epi16(b.data, a.data), _mm256_set1_epi16(1))) + sum;
  }
};

}  // namespace ropewalk::kernels
