#pragma once

// 16-bit elements, two to each word of 32 bits as they lie in memory: the even one below the odd one. Each is
// widened where it lies, by a shift or a mask, so that nothing is shuffled.

#include <cstddef>
#include <cstdint>

#include "kernels/arch.inl.hpp"
#include "kernels/element.inl.hpp"
#include "kernels/lanes.inl.hpp"
#include "kernels/pairs.inl.hpp"

namespace ropewalk::kernels {

template <class Arch>
[[gnu::always_inline]] inline Words<Arch> load_words(const std::uint16_t* x) noexcept {
  return xsimd::bitwise_cast<std::uint32_t>(Floats<Arch>::load_unaligned(reinterpret_cast<const float*>(x)));
}
template <class Arch>
[[gnu::always_inline]] inline void store_words(std::uint16_t* x, Words<Arch> words) noexcept {
  xsimd::bitwise_cast<float>(words).store_unaligned(reinterpret_cast<float*>(x));
}

/// The numbers of a vector of words.
template <class Arch>
struct WordPair {
  Floats<Arch> even, odd;
};

struct BFloat16Words {
  using Element = BFloat16;
  /// The factor of the table.
  static constexpr float scale = 1.0F;

  template <class Arch>
  static WordPair<Arch> decode(Words<Arch> words) noexcept {
    return {xsimd::bitwise_cast<float>(words << 16),
            xsimd::bitwise_cast<float>(words & Words<Arch>(0xffff0000u))};
  }

  /// Collects what is needed to know whether all numbers are usual; here all are.
  template <class Arch>
  struct Usual {
    void read(Words<Arch>) noexcept {}
    template <class... W>
    bool all(W...) const noexcept {
      return true;
    }
  };

  /// Rounds to nearest even: the upper half grows by one if the lower half, 0x7fff and the lowest bit of the upper one
  /// carry. The average of 16 bits holds that carry in its highest bit. A NaN needs no care: the lower half of one that
  /// comes from bfloat16, or from infinities, is 0, so that nothing is carried out of it.
  template <class Arch>
  static Words<Arch> encode(WordPair<Arch> value, Usual<Arch>&) noexcept {
    using H = xsimd::batch<std::uint16_t, Arch>;
    using W = Words<Arch>;
    const W even = xsimd::bitwise_cast<std::uint32_t>(value.even),
            odd = xsimd::bitwise_cast<std::uint32_t>(value.odd);
    const H upper = xsimd::bitwise_cast<std::uint16_t>(Halves<Arch>::join(even >> 16, odd));
    const H lower = xsimd::bitwise_cast<std::uint16_t>(Halves<Arch>::join(even, odd << 16));
    const H half = (upper & H(std::uint16_t{1})) | H(std::uint16_t{0x7ffe});
    return xsimd::bitwise_cast<std::uint32_t>(upper + (xsimd::avgr(lower, half) >> 15));
  }
};

/// float16 without instructions of its own. Numbers are usual except infinity, NaN and subnormals that are read, and
/// what becomes 65536 or more.
struct Float16Words {
  using Element = Float16;
  /// A float16 of exponent field e is read as a float32 with the same field, which is 2^-112 of it, so that the table
  /// is 2^112 times as large. The factor of 4 is explained at encode. A table that overflows makes unusual numbers.
  static constexpr float scale = 0x1p114F;

  template <class Arch>
  static WordPair<Arch> decode(Words<Arch> words) noexcept {
    return {number<Arch>(words << 16), number<Arch>(words)};
  }

  template <class Arch>
  struct Usual {
    using S = xsimd::batch<std::int16_t, Arch>;
    static constexpr auto zero = static_cast<std::int16_t>(0x8800),
                          normal = static_cast<std::int16_t>(0x9000);
    S least_read{std::int16_t{0x7fff}}, most_written{std::int16_t{0}};

    void read(Words<Arch> words) noexcept { least_read = xsimd::min(least_read, rank(words)); }
    /// `words`: all that has been read.
    template <class... W>
    bool all(W... words) const noexcept {
      const auto large = most_written > S(std::int16_t{0x487f});
      if (!xsimd::any((least_read < S(normal)) | large)) [[likely]]
        return true;
      return !xsimd::any((((rank(words) < S(normal)) & (rank(words) != S(zero))) | ...) | large);
    }

   private:
    /// Infinity and NaN, zero, subnormals, then normal numbers.
    static S rank(Words<Arch> words) noexcept {
      const S x = xsimd::bitwise_cast<std::int16_t>(words);
      return (x + x) + S(zero);
    }
  };

  /// With c = 2^(e + 13) for a number of exponent e, |value| + c has the unit of that number's encoding: the addition
  /// rounds, to nearest even. Its lowest bits are the significand with its leading bit, to which the exponent of c is
  /// added; that its bias comes out right is due to the factor of 4. Below 2^-14, where the unit stays that of
  /// 2^-14, so does c.
  template <class Arch>
  static Words<Arch> encode(WordPair<Arch> value, Usual<Arch>& usual) noexcept {
    using S = xsimd::batch<std::int16_t, Arch>;
    using W = Words<Arch>;
    const auto sixteen = [](W words) { return xsimd::bitwise_cast<std::int16_t>(words); };
    const auto words = [](S halves) { return xsimd::bitwise_cast<std::uint32_t>(halves); };
    const W even = xsimd::bitwise_cast<std::uint32_t>(value.even),
            odd = xsimd::bitwise_cast<std::uint32_t>(value.odd);
    const S upper = sixteen(Halves<Arch>::join(even >> 16, odd));
    const S power = xsimd::max(upper & S(std::int16_t{0x7f80}), S(std::int16_t{115 << 7}));
    usual.most_written = xsimd::max(usual.most_written, power);
    const S sign = upper & S(static_cast<std::int16_t>(0x8000));
    const S c = (power + S(std::int16_t{13 << 7})) | sign;
    const W even_sum = sum<Arch>(value.even, words(c) << 16),
            odd_sum = sum<Arch>(value.odd, words(c) & W(0xffff0000u));
    const S significand = sixteen(Halves<Arch>::join(even_sum, odd_sum << 16));
    return words((significand + (c << 3)) | sign);
  }

 private:
  template <class Arch>
  static Floats<Arch> number(Words<Arch> upper) noexcept {
    const auto shifted = xsimd::bitwise_cast<std::int32_t>(upper) >> 3;
    return xsimd::bitwise_cast<float>(xsimd::bitwise_cast<std::uint32_t>(shifted) & Words<Arch>(0x8fffe000u));
  }
  template <class Arch>
  static Words<Arch> sum(Floats<Arch> value, Words<Arch> c) noexcept {
    return xsimd::bitwise_cast<std::uint32_t>(value + xsimd::bitwise_cast<float>(c));
  }
};

/// Turns pairs of words by a slice of the table; false, and nothing is written, if some number was unusual.
template <class Arch, class Format, class Pairs>
struct TurnWords;

template <class Arch, class Format>
struct TurnWords<Arch, Format, HalfPairs> {
  using V = Floats<Arch>;
  static constexpr std::size_t pairs = 2 * V::size;
  V c_even, c_odd, s_even, s_odd;

  TurnWords(const float* cos, const float* sin) noexcept {
    Float32::load_pairs<Arch>(cos, c_even, c_odd);
    Float32::load_pairs<Arch>(sin, s_even, s_odd);
    if constexpr (Format::scale != 1.0F) {
      const V scale(Format::scale);
      c_even = c_even * scale, c_odd = c_odd * scale, s_even = s_even * scale, s_odd = s_odd * scale;
    }
  }
  [[gnu::always_inline]] bool operator()(std::uint16_t* x, std::size_t second) const noexcept {
    typename Format::template Usual<Arch> usual;
    const Words<Arch> a_words = load_words<Arch>(x), b_words = load_words<Arch>(x + second);
    usual.read(a_words);
    usual.read(b_words);
    const WordPair<Arch> a = Format::template decode<Arch>(a_words),
                         b = Format::template decode<Arch>(b_words);
    const Words<Arch> to_a = Format::template encode<Arch>(
        {negmuladd<Arch>(b.even, s_even, a.even * c_even), negmuladd<Arch>(b.odd, s_odd, a.odd * c_odd)},
        usual);
    const Words<Arch> to_b = Format::template encode<Arch>(
        {muladd<Arch>(a.even, s_even, b.even * c_even), muladd<Arch>(a.odd, s_odd, b.odd * c_odd)}, usual);
    if (!usual.all(a_words, b_words)) return false;
    store_words<Arch>(x, to_a);
    store_words<Arch>(x + second, to_b);
    return true;
  }
};

template <class Arch, class Format>
struct TurnWords<Arch, Format, InterleavedPairs> {
  using V = Floats<Arch>;
  static constexpr std::size_t pairs = V::size;
  V c, s;

  TurnWords(const float* cos, const float* sin) noexcept
      : c(V::load_unaligned(cos)), s(V::load_unaligned(sin)) {
    if constexpr (Format::scale != 1.0F) c = c * V(Format::scale), s = s * V(Format::scale);
  }
  [[gnu::always_inline]] bool operator()(std::uint16_t* x, std::size_t) const noexcept {
    typename Format::template Usual<Arch> usual;
    const Words<Arch> words = load_words<Arch>(x);
    usual.read(words);
    const auto [a, b] = Format::template decode<Arch>(words);
    const Words<Arch> to =
        Format::template encode<Arch>({negmuladd<Arch>(b, s, a * c), muladd<Arch>(a, s, b * c)}, usual);
    if (!usual.all(words)) return false;
    store_words<Arch>(x, to);
    return true;
  }
};

}  // namespace ropewalk::kernels
