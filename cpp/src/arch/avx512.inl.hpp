#pragma once

// AVX-512 as in Skylake-X (F, CD, BW, DQ and VL) for the templates of kernels/arch.inl.hpp.

#include <immintrin.h>

#include "kernels/arch.inl.hpp"

namespace ropewalk::kernels {

template <class Arch>
struct Avx512Pairs16 {
  using I = Ints<Arch>;
  static I add(I a, I b, I sum) noexcept { return I(_mm512_madd_epi16(a.data, b.data)) + sum; }
  static I widen(const std::int8_t* bytes) noexcept {
    return I(_mm512_cvtepi8_epi16(_mm256_load_si256(reinterpret_cast<const __m256i*>(bytes))));
  }
};

template <class Arch>
struct Avx512Halves {
  static Words<Arch> load(const std::uint16_t* x) noexcept {
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x)));
  }
  static void store(std::uint16_t* y, Words<Arch> words) noexcept {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(y), _mm512_cvtepi32_epi16(words));
  }
  using W = Words<Arch>;
  static W join(W even, W odd) noexcept { return _mm512_mask_blend_epi16(0xaaaaaaaa, even, odd); }
};

template <class Arch>
struct Avx512NativeFloat16 {
  static constexpr bool exists = true;
  using F = xsimd::batch<float, Arch>;
  static F load(const std::uint16_t* x) noexcept {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x)));
  }
  static void store(std::uint16_t* y, F value) noexcept {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(y), _mm512_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT));
  }
  static void load_pairs(const std::uint16_t* x, F& a, F& b) noexcept {
    const __m512i pairs = _mm512_loadu_si512(x);
    a = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(pairs));
    b = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_srli_epi32(pairs, 16)));
  }
  static void store_pairs(std::uint16_t* y, F a, F b) noexcept {
    const __m512i low = _mm512_cvtepu16_epi32(_mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
    const __m512i high = _mm512_cvtepu16_epi32(_mm512_cvtps_ph(b, _MM_FROUND_TO_NEAREST_INT));
    _mm512_storeu_si512(y, _mm512_or_si512(low, _mm512_slli_epi32(high, 16)));
  }
};

}  // namespace ropewalk::kernels
