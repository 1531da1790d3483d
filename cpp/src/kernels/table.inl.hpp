#pragma once

// Phasors in float64. The product m theta is taken exactly, as a sum of two doubles, and reduced by a pi/2 of
// two doubles, so that cos and sin are right to the last bit of a float32 even where they are nearly zero
// and m is 2^31. No operation here is fused on any architecture: all give the same bits.

#include <cstdint>
#include <xsimd/xsimd.hpp>

#include "kernels/table.hpp"

namespace ropewalk::kernels {

/// hi + lo = a b exactly (Dekker 1971, with Veltkamp's splitting). |a|, |b| < 2^970.
template <class D>
void two_product(D a, D b, D& hi, D& lo) {
  const D splitter(134217729.0);  // 2^27 + 1
  const D a_scaled = splitter * a, b_scaled = splitter * b;
  const D a_hi = a_scaled - (a_scaled - a), b_hi = b_scaled - (b_scaled - b);
  const D a_lo = a - a_hi, b_lo = b - b_hi;
  hi = a * b;
  lo = a_lo * b_lo - (((hi - a_hi * b_hi) - a_lo * b_hi) - a_hi * b_lo);
}

/// hi + lo = a + b exactly (Knuth).
template <class D>
void two_sum(D a, D b, D& hi, D& lo) {
  hi = a + b;
  const D b_part = hi - a;
  lo = (a - (hi - b_part)) + (b - b_part);
}

/// cos and sin of m theta.
template <class D>
void phasor(D m, D theta, D& re, D& im) {
  using I = xsimd::as_integer_t<D>;
  D angle, angle_lo;
  two_product(m, theta, angle, angle_lo);

  // n = the nearest whole number of quarter turns; adding 1.5 * 2^52 leaves it in the low bits.
  const D magic(6755399441055744.0);
  const D shifted = angle * D(0.63661977236758134308) + magic;
  const I quarter = xsimd::bitwise_cast<typename I::value_type>(shifted);
  const D n = shifted - magic;

  D n_pi, n_pi_lo;
  two_product(n, D(1.57079632679489655800), n_pi, n_pi_lo);
  D r, r_lo;
  two_sum(angle - n_pi, angle_lo - n_pi_lo, r, r_lo);
  const D middle = n * D(6.12323399573676603587e-17);
  D r_hi, r_mid;
  two_sum(r, -middle, r_hi, r_mid);
  const D x = r_hi + (r_mid + r_lo);
  const D y = (r_hi - x) + (r_mid + r_lo);  // x + y = m theta - n pi/2

  // Minimax polynomials on [-pi/4, pi/4], those of fdlibm's kernels.
  const D z = x * x;
  const D s = D(8.33333333332248946124e-03) +
              z * (D(-1.98412698298579493134e-04) +
                   z * (D(2.75573137070700676789e-06) +
                        z * (D(-2.50507602534068634195e-08) + z * D(1.58969099521155010221e-10))));
  const D sine = x - ((z * (D(0.5) * y - x * z * s) - y) - x * z * D(-1.66666666666666324348e-01));
  const D c =
      z * (D(4.16666666666666019037e-02) +
           z * (D(-1.38888888888741095749e-03) +
                z * (D(2.48015872894767294178e-05) +
                     z * (D(-2.75573143513906633035e-07) +
                          z * (D(2.08757232129817482790e-09) + z * D(-1.13596475577881948265e-11))))));
  const D half = D(0.5) * z;
  const D one_less = D(1.0) - half;
  const D cosine = one_less + (((D(1.0) - one_less) - half) + (z * c - x * y));

  const auto odd = xsimd::batch_bool_cast<double>((quarter & I(1)) != I(0));
  const I sine_sign = (quarter & I(2)) << 62;
  const I cosine_sign = ((quarter + I(1)) & I(2)) << 62;
  const D im_magnitude = xsimd::select(odd, cosine, sine);
  const D re_magnitude = xsimd::select(odd, sine, cosine);
  im = xsimd::bitwise_cast<double>(xsimd::bitwise_cast<typename I::value_type>(im_magnitude) ^ sine_sign);
  re = xsimd::bitwise_cast<double>(xsimd::bitwise_cast<typename I::value_type>(re_magnitude) ^ cosine_sign);
}

template <class Arch>
void phasors(const double* m, const double* theta, std::size_t n, Phasors out) noexcept {
  using D = xsimd::batch<double, Arch>;
  D re, im;
  std::size_t j = 0;
  for (; j + D::size <= n; j += D::size) {
    phasor(D::load_unaligned(m + j), D::load_unaligned(theta + j), re, im);
    re.store_unaligned(out.re + j);
    im.store_unaligned(out.im + j);
  }
  if (j == n) return;

  alignas(64) double buffer[2 * D::size] = {};
  double *first = buffer, *second = buffer + D::size;
  for (std::size_t i = 0; i < n - j; ++i) first[i] = m[j + i], second[i] = theta[j + i];
  phasor(D::load_aligned(first), D::load_aligned(second), re, im);
  re.store_aligned(first);
  im.store_aligned(second);
  for (std::size_t i = 0; i < n - j; ++i) out.re[j + i] = first[i], out.im[j + i] = second[i];
}

/// A plain loop: compilers vectorise the narrowing to float32, for which xsimd has no operation.
template <class Arch>
bool product(Phasors a, Phasors b, double cos_scale, double sin_scale, std::size_t n, float* __restrict cos,
             float* __restrict sin) noexcept {
  const double *ar = a.re, *ai = a.im, *br = b.re, *bi = b.im;
  const double small = 0x1p-26;
  std::int64_t too_small = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const double re = ar[j] * br[j] - ai[j] * bi[j];
    const double im = ar[j] * bi[j] + ai[j] * br[j];
    // A pair that does not turn (theta 0) has an exact sine of 0.
    too_small |= static_cast<std::int64_t>((re < 0 ? -re : re) < small) |
                 (static_cast<std::int64_t>((im < 0 ? -im : im) < small) &
                  static_cast<std::int64_t>(ai[j] != 0 || bi[j] != 0));
    cos[j] = static_cast<float>(re * cos_scale);
    sin[j] = static_cast<float>(im * sin_scale);
  }
  return too_small == 0;
}

template <class Arch>
constexpr TableKernels make_table() {
  return {&phasors<Arch>, &product<Arch>};
}

}  // namespace ropewalk::kernels
