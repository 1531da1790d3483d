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
