// SSE2, which every x86-64 has. Gives the bits of WebAssembly.

#include <immintrin.h>

#include "kernels/arch.inl.hpp"

namespace ropewalk::kernels {

template <>
struct Pairs16<xsimd::sse2> {
  using I = Ints<xsimd::sse2>;
  static I add(I a, I b, I sum) noexcept { return I(_mm_madd_epi16(a.data, b.data)) + sum; }
  static I widen(const std::int8_t* bytes) noexcept {
    const __m128i low = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes));
    return I(_mm_srai_epi16(_mm_unpacklo_epi8(low, low), 8));
  }
};

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

}  // namespace ropewalk::kernels

#include "kernels/make_kernels.inl.hpp"

namespace ropewalk::arch {
extern const kernels::Kernels sse2;
constexpr kernels::Kernels sse2 = kernels::make_kernels<xsimd::sse2>("sse2");
}  // namespace ropewalk::arch
