// AVX2 with FMA3 and F16C.

#include <immintrin.h>

#include "kernels/arch.inl.hpp"

namespace ropewalk::kernels {

template <>
inline constexpr bool fused<xsimd::fma3<xsimd::avx2>> = true;

template <>
struct GemmTile<xsimd::fma3<xsimd::avx2>> {  // 16 registers of 8
  static constexpr std::size_t rows = 6, vectors = 2, single_row_panels = 4, depth = 384, block_rows = 120;
};

template <>
struct Pairs16<xsimd::fma3<xsimd::avx2>> {
  using I = Ints<xsimd::fma3<xsimd::avx2>>;
  static I add(I a, I b, I sum) noexcept { return I(_mm256_madd_epi16(a.data, b.data)) + sum; }
  static I widen(const std::int8_t* bytes) noexcept {
    return I(_mm256_cvtepi8_epi16(_mm_load_si128(reinterpret_cast<const __m128i*>(bytes))));
  }
};

template <>
struct Halves<xsimd::fma3<xsimd::avx2>> {
  using W = Words<xsimd::fma3<xsimd::avx2>>;
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

template <>
struct NativeFloat16<xsimd::fma3<xsimd::avx2>> {
  static constexpr bool exists = true;
  using F = xsimd::batch<float, xsimd::fma3<xsimd::avx2>>;
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

}  // namespace ropewalk::kernels

#include "kernels/make_kernels.inl.hpp"

namespace ropewalk::arch {
extern const kernels::Kernels avx2;
constexpr kernels::Kernels avx2 = kernels::make_kernels<xsimd::fma3<xsimd::avx2>>("avx2");
}  // namespace ropewalk::arch
