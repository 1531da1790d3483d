#pragma once

// Operations that xsimd lacks: 16-bit elements in the lanes of a float32 vector. All intrinsics of the
// kernels are in this file, behind the names of kernels/element.inl.hpp.

#include <cstdint>
#include <xsimd/xsimd.hpp>

#if defined(__wasm__)
#include <wasm_simd128.h>
#else
#include <immintrin.h>
#endif

namespace ropewalk::kernels {

template <class Arch>
using Words = xsimd::batch<std::uint32_t, Arch>;

/// load: as many 16-bit elements as there are lanes, zeros above them. store: the lanes' low halves, where
/// the high ones are 0.
template <class Arch>
struct Halves;

/// Vectors of four lanes hold the eight 16-bit elements of four pairs. Their Halves have words for that too:
/// load_two, store_two: four from each of two places. unpack: each element to the upper half of a lane. pack:
/// the lower halves of lanes, whatever is above them. any_sign: whether some element is negative.
template <class Arch>
inline constexpr bool has_eight_halves = Words<Arch>::size == 4;

/// The processor's own conversions of float16, one element per lane, and of neighbours a, b as pairs in
/// memory. They round to nearest even, keep subnormals, and make signalling NaNs quiet.
template <class Arch>
struct NativeFloat16 {
  static constexpr bool exists = false;
};

#if defined(__wasm__)

template <>
struct Halves<xsimd::wasm> {
  static Words<xsimd::wasm> load(const std::uint16_t* x) noexcept { return wasm_u32x4_load16x4(x); }
  static void store(std::uint16_t* y, Words<xsimd::wasm> words) noexcept {
    wasm_v128_store64_lane(y, wasm_u16x8_narrow_i32x4(words, words), 0);
  }
  using W = Words<xsimd::wasm>;
  static W load_all(const std::uint16_t* x) noexcept { return wasm_v128_load(x); }
  static void store_all(std::uint16_t* y, W halves) noexcept { wasm_v128_store(y, halves); }
  static W load_two(const std::uint16_t* a, const std::uint16_t* b) noexcept {
    return wasm_v128_load64_lane(b, wasm_v128_load64_zero(a), 1);
  }
  static void store_two(std::uint16_t* a, std::uint16_t* b, W halves) noexcept {
    wasm_v128_store64_lane(a, halves, 0);
    wasm_v128_store64_lane(b, halves, 1);
  }
  static void unpack(W halves, W& a, W& b) noexcept {
    const v128_t zero = wasm_i32x4_splat(0);
    a = wasm_i16x8_shuffle(zero, halves, 0, 8, 1, 9, 2, 10, 3, 11);
    b = wasm_i16x8_shuffle(zero, halves, 4, 12, 5, 13, 6, 14, 7, 15);
  }
  static bool any_sign(W halves) noexcept { return (wasm_i8x16_bitmask(halves) & 0xaaaa) != 0; }
  static W pack(W a, W b) noexcept { return wasm_u16x8_narrow_i32x4(a & W(0xffffu), b & W(0xffffu)); }
};

#elif defined(__AVX512F__)

template <>
struct Halves<xsimd::avx512bw> {
  static Words<xsimd::avx512bw> load(const std::uint16_t* x) noexcept {
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x)));
  }
  static void store(std::uint16_t* y, Words<xsimd::avx512bw> words) noexcept {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(y), _mm512_cvtepi32_epi16(words));
  }
};

template <>
struct NativeFloat16<xsimd::avx512bw> {
  static constexpr bool exists = true;
  using F = xsimd::batch<float, xsimd::avx512bw>;
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

#elif defined(__AVX2__)

template <>
struct Halves<xsimd::fma3<xsimd::avx2> > {
  using W = Words<xsimd::fma3<xsimd::avx2> >;
  static W load(const std::uint16_t* x) noexcept {
    return _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x)));
  }
  static void store(std::uint16_t* y, W words) noexcept {
    const __m256i value = words;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y),
                     _mm_packus_epi32(_mm256_castsi256_si128(value), _mm256_extracti128_si256(value, 1)));
  }
};

template <>
struct NativeFloat16<xsimd::fma3<xsimd::avx2> > {
  static constexpr bool exists = true;
  using F = xsimd::batch<float, xsimd::fma3<xsimd::avx2> >;
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

#else

template <>
struct Halves<xsimd::sse2> {
  static Words<xsimd::sse2> load(const std::uint16_t* x) noexcept {
    return _mm_unpacklo_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(x)), _mm_setzero_si128());
  }
  static void store(std::uint16_t* y, Words<xsimd::sse2> words) noexcept {
    // The only pack of SSE2 saturates at signed 16 bits: as such the elements go in, and stay what they are.
    const __m128i value = _mm_srai_epi32(_mm_slli_epi32(words, 16), 16);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(y), _mm_packs_epi32(value, value));
  }
  using W = Words<xsimd::sse2>;
  static W load_all(const std::uint16_t* x) noexcept {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(x));
  }
  static void store_all(std::uint16_t* y, W halves) noexcept {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y), halves);
  }
  static W load_two(const std::uint16_t* a, const std::uint16_t* b) noexcept {
    return _mm_unpacklo_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(a)),
                              _mm_loadl_epi64(reinterpret_cast<const __m128i*>(b)));
  }
  static void store_two(std::uint16_t* a, std::uint16_t* b, W halves) noexcept {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(a), halves);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(b), _mm_unpackhi_epi64(halves, halves));
  }
  static void unpack(W halves, W& a, W& b) noexcept {
    a = _mm_unpacklo_epi16(_mm_setzero_si128(), halves);
    b = _mm_unpackhi_epi16(_mm_setzero_si128(), halves);
  }
  static bool any_sign(W halves) noexcept { return (_mm_movemask_epi8(halves) & 0xaaaa) != 0; }
  static W pack(W a, W b) noexcept {
    return _mm_packs_epi32(_mm_srai_epi32(_mm_slli_epi32(a, 16), 16),
                           _mm_srai_epi32(_mm_slli_epi32(b, 16), 16));
  }
};

#endif

}  // namespace ropewalk::kernels
