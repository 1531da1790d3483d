#pragma once

// exp, erf and tanh of a batch. Ours and not xsimd's for two reasons. xsimd's exp casts float to int32, which
// its WASM backend does by four scalar extracts, in the middle of every softmax; here the integer comes out
// of the mantissa after adding 1.5 * 2^23, which is one addition everywhere. And the same operations in the
// same order make sse2 and WASM agree bit for bit.

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

/// sign(x) * min(|x| P(x^2) / Q(x^2), 1), and 1 from |x| = `one` on: the shape of both functions below.
template <class Arch, std::size_t N, std::size_t M>
inline Floats<Arch> odd_rational(Floats<Arch> x, const float (&p)[N], const float (&q)[M],
                                 float one) noexcept {
  using F = Floats<Arch>;
  const F sign = xsimd::bitofsign(x);
  const F size = xsimd::abs(x);
  const F square = x * x;
  const F ratio = size * polynomial<Arch>(square, p) / polynomial<Arch>(square, q);
  return xsimd::select(size >= F(one) || ratio > F(1.0F), F(1.0F), ratio) | sign;
}

/// erf x within 2e-7. Rational minimax fit (relative error 2.5e-8 before rounding) up to |x| = 4, where erf
/// is 1 in float32.
template <class Arch>
inline Floats<Arch> erf(Floats<Arch> x) noexcept {
  const float p[] = {1.9864721228951667e-06F, 2.8447238563878757e-04F, 3.8813477113445040e-03F,
                     5.3095471905012010e-02F, 1.9350557538930466e-01F, 1.1283791400936570e+00F};
  const float q[] = {3.7412000976662545e-05F, 1.1849947290619028e-03F, 1.5203308750285910e-02F,
                     1.1533272540697498e-01F, 5.0482242034278700e-01F, 1.0F};
  return odd_rational<Arch>(x, p, q, 4.0F);
}

/// tanh x within 3e-7, of which the rounding of the two polynomials is nearly all. Rational minimax fit
/// (relative error 2.1e-8 before rounding) up to |x| = 9.
template <class Arch>
inline Floats<Arch> tanh(Floats<Arch> x) noexcept {
  const float p[] = {1.3353021614849675e-08F, 2.0608097464388512e-05F, 3.4955387957816453e-03F,
                     1.3380988323426660e-01F, 9.9999998003746270e-01F};
  const float q[] = {7.7759428285183500e-07F, 3.2855463240958250e-04F, 2.5876807163883310e-02F,
                     4.6714304177763527e-01F, 1.0F};
  return odd_rational<Arch>(x, p, q, 9.0F);
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
