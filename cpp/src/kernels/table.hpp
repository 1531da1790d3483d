#pragma once

// The interface of the table kernels. An entry of a table is the complex number e^{i m theta}.

#include <cstddef>

namespace ropewalk::kernels {

/// Entries of float64, real and imaginary parts apart.
struct Phasors {
  double* re;
  double* im;
};

struct TableKernels {
  /// re, im = e^{i m[j] theta[j]}, within 2^-52, and within 2^-50 of each part's own size, for |m theta| <= 2^45.
  void (*phasors)(const double* m, const double* theta, std::size_t n, Phasors out) noexcept;
  /// cos, sin = (re, im of a times b) by their scales, rounded to float32. False when some part came out so small
  /// that the product's error of 2^-52 is not small beside it: that row has to be made from phasors() directly.
  bool (*product)(Phasors a, Phasors b, double cos_scale, double sin_scale, std::size_t n, float* cos,
                  float* sin) noexcept;
};

}  // namespace ropewalk::kernels
