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
  static W join(W even, W odd) noexcept { return (even & W(0xffffu)) | (odd & W(0xffff0000u)); }
};

}  // namespace ropewalk::kernels

#include "kernels/make_kernels.inl.hpp"

namespace ropewalk::arch {
extern const kernels::Kernels sse2;
constexpr kernels::Kernels sse2 = kernels::make_kernels<xsimd::sse2>("sse2");
}  // namespace ropewalk::arch
