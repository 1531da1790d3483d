#pragma once

// exp, erf and tanh of a batch. They replace xsimd's for two reasons. First, xsimd's exp casts float to
// int32, for which its WASM backend uses four scalar extracts, in the middle of every softmax. Here the
// integer comes from the mantissa after adding 1.5 * 2^23, which is one addition everywhere. Second, the same
// operations in the same order make sse2 and WASM agree bit for bit.

#include "kernels/lanes.inl.hpp"

namespace ropewalk::kernels {

/// Coefficients from the highest power down.
template <class Arch, std::size_t N>
inline Floats<Arch> polynomial(Floats<Arch> x, const float (&coefficients)[N]) noexcept {
  Floats<Arch> sum(coefficients[0]);
  for (std::size_t i = 1; i < N; ++i) sum = muladd<Arch>(sum, x, Floats<Arch>(coefficients[i]));
  return sum;
}

/// e^x within 2 ulp: 0 below -104, subnormal results rounded once, infinity above 88.73; NaN passes through.
template <class Arch>
inline Floats<Arch> exp(Floats<Arch> x) noexcept {
  using F = Floats<Arch>;
  using I = xsimd::batch<std::int32_t, Arch>;
  // select and not min/max, which treat NaN differently from one architecture to the next.
  x = xsimd::select(x < F(-104.0F), F(-104.0F), x);
  x = xsimd::select(x > F(89.0F), F(89.0F), x);
  // n = round(x / ln 2): after the addition the low bits of the mantissa hold n.
  const F magic(12582912.0F);  // 1.5 * 2^23
  const F shifted = muladd<Arch>(x, F(1.44269504F), magic);
  const F n = shifted - magic;
  // ln 2 in two parts, the first with 9 bits, so that n times it is exact.
  const F r = negmuladd<Arch>(n, F(-2.12194440e-4F), negmuladd<Arch>(n, F(0.693359375F), x));
  const float coefficients[] = {1.9875691500e-4F, 1.3981999507e-3F, 8.3334519073e-3F,
                                4.1665795894e-2F, 1.6666665459e-1F, 5.0000001201e-1F};
  const F mantissa = muladd<Arch>(polynomial<Arch>(r, coefficients), r * r, r) + F(1.0F);
  // 2^n as a product of two normal powers: n reaches from -150 to 128, beyond what one exponent holds.
  const I exponent = xsimd::bitwise_cast<std::int32_t>(shifted) - I(0x4B400000);
  const I half = exponent >> 1;
  const F first = xsimd::bitwise_cast<float>((half + I(127)) << 23);
  const F second = xsimd::bitwise_cast<float>((exponent - half + I(127)) << 23);
  return mantissa * first * second;
}

/// erf x within 1e-7: an odd polynomial near 0, 1 - e^(polynomial) beyond (the form and the fit of N. Juffa).
/// A single rational function would be shorter, but its rounding near |x| = 3.6 was measured at 2.7e-7.
template <class Arch>
inline Floats<Arch> erf(Floats<Arch> x) noexcept {
  using F = Floats<Arch>;
  const float near[] = {-5.96761703e-4F, 4.99119423e-3F,  -2.67681349e-2F,
                        1.12819925e-1F,  -3.76125336e-1F, 1.28379166e-1F};
  const float far[] = {-1.72853470e-5F, 3.83197126e-4F,  -3.88396438e-3F, 2.42546219e-2F,
                       -1.06777877e-1F, -6.34846687e-1F, -1.28717512e-1F};
  const F size = xsimd::abs(x);
  const F bounded = xsimd::select(size > F(4.0F), F(4.0F), size);  // erf 4 is 1 in float32
  const F outer =
      F(1.0F) - kernels::exp<Arch>(muladd<Arch>(polynomial<Arch>(bounded, far), bounded, -bounded));
  const F inner = muladd<Arch>(polynomial<Arch>(x * x, near), size, size);
  return xsimd::select(size > F(0.927734375F), outer, inner) | xsimd::bitofsign(x);
}

/// tanh x within 1e-7: an odd polynomial near 0 (Cephes), 1 - 2e / (1 + e) with e = exp(-2|x|) beyond.
template <class Arch>
inline Floats<Arch> tanh(Floats<Arch> x) noexcept {
  using F = Floats<Arch>;
  const float near[] = {-5.70498872745e-3F, 2.06390887954e-2F, -5.37397155531e-2F, 1.33314422036e-1F,
                        -3.33332819422e-1F};
  const F size = xsimd::abs(x), square = x * x;
  const F e = kernels::exp<Arch>(F(-2.0F) * size);
  const F outer = F(1.0F) - Exact<Arch>::divide(F(2.0F) * e, F(1.0F) + e);
  const F inner = muladd<Arch>(polynomial<Arch>(square, near) * square, size, size);
  return xsimd::select(size > F(0.625F), outer, inner) | xsimd::bitofsign(x);
}

/// 1 - tanh(x)^2 by e = exp(-2|x|): from a rounded tanh it would have lost its digits where |x| is large.
template <class Arch>
inline Floats<Arch> tanh_derivative(Floats<Arch> x) noexcept {
  using F = Floats<Arch>;
  const F e = kernels::exp<Arch>(F(-2.0F) * xsimd::abs(x));
  const F share = Exact<Arch>::divide(F(1.0F), F(1.0F) + e);
  return F(4.0F) * e * share * share;
}

/// ln x of a normal positive float64: for single values, hence plain code. The C library's would differ in
/// the last bit between a native build and WASM.
template <class Arch>
inline double log(double x) noexcept {
  std::uint64_t bits = __builtin_bit_cast(std::uint64_t, x);
  // The exponent of x / sqrt(1/2), so that the mantissa lies in [sqrt(1/2), sqrt 2).
  const std::uint64_t root_half = 0x3FE6A09E667F3BCDU;
  const std::int64_t exponent = static_cast<std::int64_t>(bits - root_half) >> 52;
  bits -= static_cast<std::uint64_t>(exponent) << 52;
  const double mantissa = __builtin_bit_cast(double, bits);
  const double s = (mantissa - 1.0) / (mantissa + 1.0);
  double sum = 0.0;
  for (int i = 21; i > 1; i -= 2) sum = (sum + 1.0 / i) * (s * s);
  return static_cast<double>(exponent) * 0.6931471805599453 + 2.0 * (s + s * sum);
}

}  // namespace ropewalk::kernels
