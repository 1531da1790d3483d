#pragma once

// The element types of ropewalk::DType in kernels: they are loaded into float32 vectors and stored by
// rounding to nearest even. Subnormals, infinities and the payloads of quiet NaNs are exact. Arithmetic never
// yields a signalling NaN.

#include <complex>
#include <cstddef>
#include <cstdint>

#include "kernels/arch.inl.hpp"
#include "kernels/lanes.inl.hpp"

namespace ropewalk::kernels {
// Each element type has, for V = Floats<Arch>:
//   load, store              V::size neighbours
//   load_pairs, store_pairs  2 * V::size neighbours, the even ones in a and the odd ones in b

struct Float32 {
  using Stored = float;

  template <class Arch>
  static Floats<Arch> load(const float* x) noexcept {
    return Floats<Arch>::load_unaligned(x);
  }
  template <class Arch>
  static void store(float* y, Floats<Arch> value) noexcept {
    value.store_unaligned(y);
  }
  template <class Arch>
  static void load_pairs(const float* x, Floats<Arch>& a, Floats<Arch>& b) noexcept {
    const auto pair = xsimd::batch<std::complex<float>, Arch>::load_unaligned(
        reinterpret_cast<const std::complex<float>*>(x));
    a = pair.real();
    b = pair.imag();
  }
  template <class Arch>
  static void store_pairs(float* y, Floats<Arch> a, Floats<Arch> b) noexcept {
    xsimd::zip_lo(a, b).store_unaligned(y);
    xsimd::zip_hi(a, b).store_unaligned(y + Floats<Arch>::size);
  }
};

/// Types of 16 bits whose conversion is integer arithmetic on lanes of 32, in which a pair lies side by side.
template <class Format>
struct Packed {
  using Stored = std::uint16_t;

  template <class Arch>
  static Floats<Arch> load(const std::uint16_t* x) noexcept {
    return Format::template decode<Arch>(Halves<Arch>::load(x));
  }
  template <class Arch>
  static void store(std::uint16_t* y, Floats<Arch> value) noexcept {
    Halves<Arch>::store(y, Format::template encode<Arch>(value));
  }
  template <class Arch>
  static void load_pairs(const std::uint16_t* x, Floats<Arch>& a, Floats<Arch>& b) noexcept {
    const auto pairs =
        xsimd::bitwise_cast<std::uint32_t>(Floats<Arch>::load_unaligned(reinterpret_cast<const float*>(x)));
    a = Format::template decode<Arch>(pairs & Words<Arch>(0xffffu));
    b = Format::template decode<Arch>(pairs >> 16);
  }
  template <class Arch>
  static void store_pairs(std::uint16_t* y, Floats<Arch> a, Floats<Arch> b) noexcept {
    const Words<Arch> pairs = Format::template encode<Arch>(a) | (Format::template encode<Arch>(b) << 16);
    xsimd::bitwise_cast<float>(pairs).store_unaligned(reinterpret_cast<float*>(y));
  }
};

/// The upper half of a float32.
struct BFloat16Format {
  template <class Arch>
  static Floats<Arch> decode(Words<Arch> half) noexcept {
    return xsimd::bitwise_cast<float>(half << 16);
  }
  template <class Arch>
  static Words<Arch> encode(Floats<Arch> value) noexcept {
    const Words<Arch> bits = xsimd::bitwise_cast<std::uint32_t>(value);
    const Words<Arch> odd = (bits >> 16) & Words<Arch>(1u);
    const auto number = xsimd::batch_bool_cast<std::uint32_t>(value == value);
    // Rounding a NaN could carry out of its payload.
    return (bits + xsimd::select(number, odd + Words<Arch>(0x7fffu), Words<Arch>(0u))) >> 16;
  }
};

/// IEEE binary16.
struct Float16Format {
  // usual_decode and usual_encode serve all halves except the few for which are_usual(read, a, b) is false;
  // a and b are the results to be written.

  /// Decodes the upper half of each word, whatever the lower one holds. Infinity and NaN come out as 65536 and
  /// more. Subnormals are first read as normal numbers v = 2^-15 + m 2^-25, then brought to m 2^-24 = v -
  /// (2^-14 - v): a product from float32's own subnormals would take some processors a hundred cycles.
  template <class Arch>
  static Floats<Arch> usual_decode(Words<Arch> upper) noexcept {
    using F = Floats<Arch>;
    using W = Words<Arch>;
    const F v = xsimd::bitwise_cast<float>(((upper >> 3) & W(0x0fffe000u)) + W(0x38000000u));
    const F magnitude = v - xsimd::max(F(0x1p-14F) - v, F(0.0F));
    return xsimd::bitwise_cast<float>(xsimd::bitwise_cast<std::uint32_t>(magnitude) |
                                      (upper & W(0x80000000u)));
  }
  /// The power of two below |value|, at least that of the smallest normal number.
  template <class Arch>
  static Floats<Arch> power(Floats<Arch> value) noexcept {
    const Words<Arch> exponent = xsimd::bitwise_cast<std::uint32_t>(value) & Words<Arch>(0x7f800000u);
    return xsimd::max(xsimd::bitwise_cast<float>(exponent), Floats<Arch>(0x1p-14F));
  }
  /// To the lower half of each word, with anything above it. With c = 2^(e + 13) for a number of exponent e,
  /// |value| + c has the unit 2^(e - 10) of that number's encoding: the addition rounds, to nearest even. Its
  /// lowest bits are the significand with its leading bit, to which c >> 13 adds e. The bias of e comes from
  /// 2^11 in c, and below 2^-14, where the unit stays that of 2^-14, so does c.
  template <class Arch>
  static Words<Arch> usual_encode(Floats<Arch> value) noexcept {
    using W = Words<Arch>;
    const W c = xsimd::bitwise_cast<std::uint32_t>(power<Arch>(value)) + W((13u << 23) + (1u << 11));
    const W bits = xsimd::bitwise_cast<std::uint32_t>(value), sign = bits & W(0x80000000u);
    const Floats<Arch> sum = xsimd::bitwise_cast<float>(bits ^ sign) + xsimd::bitwise_cast<float>(c);
    return (xsimd::bitwise_cast<std::uint32_t>(sum) + (c >> 13)) ^ (sign >> 16);
  }
  /// True if neither infinity nor NaN has been read and nothing of 65536 or more will be written: sums that
  /// reach the sign, of 16 bits or of 32, tell. What rounds to 65536 becomes infinity, as it should.
  template <class Arch>
  static bool are_usual(Words<Arch> halves, Floats<Arch> a, Floats<Arch> b) noexcept {
    using W = Words<Arch>;
    const W read = (halves & W(0x7c007c00u)) + W(0x04000400u);
    const W written =
        xsimd::bitwise_cast<std::uint32_t>(xsimd::max(power<Arch>(a), power<Arch>(b))) + W(0x38800000u);
    return !Halves<Arch>::any_sign(read | written);
  }

  template <class Arch>
  static Floats<Arch> decode(Words<Arch> half) noexcept {
    using F = Floats<Arch>;
    using W = Words<Arch>;
    const W magnitude = half & W(0x7fffu);
    // The exponent goes to the top of float32's range, where infinity and NaN stay what they are, and back by
    // a product that is exact; 0.5 has units of 2^-24, the subnormal step.
    const F normal = xsimd::bitwise_cast<float>((magnitude << 13) + W(0x70000000u)) * F(0x1p-112F);
    const F subnormal = xsimd::bitwise_cast<float>(magnitude | W(0x3f000000u)) - F(0.5F);
    const F value = xsimd::select(below<Arch>(magnitude, 0x400), subnormal, normal);
    return xsimd::bitwise_cast<float>(xsimd::bitwise_cast<std::uint32_t>(value) | ((half ^ magnitude) << 16));
  }
  template <class Arch>
  static Words<Arch> encode(Floats<Arch> value) noexcept {
    using F = Floats<Arch>;
    using W = Words<Arch>;
    const W bits = xsimd::bitwise_cast<std::uint32_t>(value);
    const W magnitude = bits & W(0x7fffffffu);
    // From 65520 on numbers round to 65536, the code of infinity.
    const F small = xsimd::min(xsimd::bitwise_cast<float>(magnitude), F(65536.0F));
    const W small_bits = xsimd::bitwise_cast<std::uint32_t>(small);
    const W odd = (small_bits >> 13) & W(1u);
    const W normal = (small_bits + (odd + W(0xc8000fffu))) >> 13;
    // Below the smallest normal number the addition of 0.5 rounds at 2^-24.
    const W subnormal = xsimd::bitwise_cast<std::uint32_t>(small + F(0.5F)) - W(0x3f000000u);
    const auto tiny = xsimd::batch_bool_cast<std::uint32_t>(below<Arch>(small_bits, 0x38800000));
    const W number = xsimd::select(tiny, subnormal, normal);
    const W nan = (magnitude >> 13) & W(0x7fffu);
    const auto is_nan = xsimd::batch_bool_cast<std::uint32_t>(value != value);
    return xsimd::select(is_nan, nan, number) | ((bits ^ magnitude) >> 16);
  }

 private:
  /// Signed, since SSE2 compares no other integers; no word that comes here has its highest bit set.
  template <class Arch>
  static xsimd::batch_bool<float, Arch> below(Words<Arch> words, std::int32_t limit) noexcept {
    using I = xsimd::batch<std::int32_t, Arch>;
    return xsimd::batch_bool_cast<float>(xsimd::bitwise_cast<std::int32_t>(words) < I(limit));
  }
};

using BFloat16 = Packed<BFloat16Format>;

struct Float16 {
  using Stored = std::uint16_t;

  template <class Arch>
  static Floats<Arch> load(const std::uint16_t* x) noexcept {
    if constexpr (NativeFloat16<Arch>::exists) {
      return NativeFloat16<Arch>::load(x);
    } else {
      return Packed<Float16Format>::load<Arch>(x);
    }
  }
  template <class Arch>
  static void store(std::uint16_t* y, Floats<Arch> value) noexcept {
    if constexpr (NativeFloat16<Arch>::exists) {
      NativeFloat16<Arch>::store(y, value);
    } else {
      Packed<Float16Format>::store<Arch>(y, value);
    }
  }
  template <class Arch>
  static void load_pairs(const std::uint16_t* x, Floats<Arch>& a, Floats<Arch>& b) noexcept {
    if constexpr (NativeFloat16<Arch>::exists) {
      NativeFloat16<Arch>::load_pairs(x, a, b);
    } else {
      Packed<Float16Format>::load_pairs<Arch>(x, a, b);
    }
  }
  template <class Arch>
  static void store_pairs(std::uint16_t* y, Floats<Arch> a, Floats<Arch> b) noexcept {
    if constexpr (NativeFloat16<Arch>::exists) {
      NativeFloat16<Arch>::store_pairs(y, a, b);
    } else {
      Packed<Float16Format>::store_pairs<Arch>(y, a, b);
    }
  }
};

}  // namespace ropewalk::kernels
