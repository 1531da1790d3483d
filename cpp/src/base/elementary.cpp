#include "base/elementary.hpp"

#include <cmath>

namespace ropewalk {
namespace {

/// The sum of two doubles of which the second is no more than a rounding error of the first.
struct Pair {
  double high, low;
};

/// a + b, exactly; |a| >= |b|.
Pair normal(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

/// a + b, exactly (Knuth).
Pair sum_of(double a, double b) {
  const double sum = a + b, of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}

/// a * b, exactly (Dekker): the halves of the factors have products without rounding.
Pair product_of(double a, double b) {
  const auto upper_half = [](double value) {
    const double shifted = value * 134217729.0;  // 2^27 + 1
    return shifted - (shifted - value);
  };
  const double product = a * b, a1 = upper_half(a), a2 = a - a1, b1 = upper_half(b), b2 = b - b1;
  return {product, a2 * b2 - (((product - a1 * b1) - a2 * b1) - a1 * b2)};
}

Pair operator+(Pair a, Pair b) {
  const Pair sum = sum_of(a.high, b.high);
  return normal(sum.high, sum.low + (a.low + b.low));
}

Pair operator*(Pair a, Pair b) {
  const Pair product = product_of(a.high, b.high);
  return normal(product.high, product.low + (a.high * b.low + a.low * b.high));
}

Pair operator/(Pair a, Pair b) {
  const double first = a.high / b.high;
  const Pair taken = Pair{-first, 0} * b, rest = a + taken;
  return normal(first, rest.high / b.high);
}

constexpr Pair ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

/// 2 atanh(s) = 2 (s + s^3/3 + s^5/5 + ...) with s = (m - 1) / (m + 1) is ln m, |s| < 0.172.
Pair log_of(double x) {
  int exponent;
  double m = std::frexp(x, &exponent);
  if (m < 0x1.6a09e667f3bcdp-1) {
    m *= 2;
    --exponent;
  }
  const Pair s = Pair{m - 1, 0} / sum_of(m, 1), square = s * s;
  double rest = 0;  // so small that its own rounding errors do not count
  for (int n = 41; n > 13; n -= 2) rest = rest * square.high + 1.0 / n;
  Pair series = {rest, 0};
  for (int n = 13; n > 0; n -= 2) series = series * square + Pair{1, 0} / Pair{static_cast<double>(n), 0};
  return Pair{static_cast<double>(exponent), 0} * ln2 + Pair{2, 0} * s * series;
}

/// e^x = 2^k e^r, with |r| <= ln 2 / 2 and 1 + r + r^2/2! + ...
double exp_of(Pair x) {
  if (x.high > 710) return HUGE_VAL;
  if (x.high < -746) return 0;
  if (x.high != x.high) return x.high;
  const double k = std::nearbyint(x.high / ln2.high);
  const Pair r = x + Pair{-k, 0} * ln2;
  double rest = 1;  // as in log_of
  for (int n = 24; n > 10; --n) rest = rest * r.high / n + 1;
  Pair series = {rest, 0};
  for (int n = 10; n > 0; --n) series = series * r / Pair{static_cast<double>(n), 0} + Pair{1, 0};
  return std::ldexp(series.high + series.low, static_cast<int>(k));
}

/// True if there is no logarithm of x, or none that is finite.
bool is_special(double x) { return !(x > 0 && x < HUGE_VAL); }
double special_log(double x) { return x == 0 ? -HUGE_VAL : x > 0 ? x : std::nan(""); }

}  // namespace

double natural_log(double x) {
  if (is_special(x)) return special_log(x);
  const Pair log = log_of(x);
  return log.high + log.low;
}

double binary_log(double x) {
  if (is_special(x)) return special_log(x);
  const Pair log = log_of(x) / ln2;
  return log.high + log.low;
}

double exponential(double x) { return exp_of({x, 0}); }

double power(double x, double y) {
  if (x == 1 || y == 0) return 1;
  // Beyond this the products below overflow; the result is 0 or infinite long before.
  constexpr double largest = 1e20;
  if (!is_special(x) && std::fabs(y) < largest) return exp_of(Pair{y, 0} * log_of(x));
  if (!(x >= 0) || y != y) return x + y + std::nan("");
  return (x > 1) == (y > 0) ? HUGE_VAL : 0;
}

}  // namespace ropewalk
