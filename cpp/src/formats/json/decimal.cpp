#include "formats/json/decimal.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ropewalk::json {
namespace {

/// A whole number of up to 2048 bits: 40 digits times 10^400 take 1462, and the shift below 64 more.
class Big {
 public:
  explicit Big(std::uint32_t value) { words_[0] = value; }

  void multiply_add(std::uint32_t factor, std::uint32_t addend) {
    std::uint64_t carry = addend;
    for (std::uint32_t& word : words_) {
      carry += std::uint64_t{word} * factor;
      word = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }
  void double_it() { multiply_add(2, 0); }
  int bits() const {
    for (int i = size; i-- > 0;) {
      if (words_[i] != 0) return 32 * i + static_cast<int>(std::bit_width(words_[i]));
    }
    return 0;
  }
  bool at_least(const Big& other) const {
    return !std::lexicographical_compare(words_.rbegin(), words_.rend(), other.words_.rbegin(),
                                         other.words_.rend());
  }
  void subtract(const Big& other) {
    std::uint64_t borrow = 0;
    for (int i = 0; i < size; ++i) {
      const std::uint64_t difference = std::uint64_t{words_[i]} - other.words_[i] - borrow;
      words_[i] = static_cast<std::uint32_t>(difference);
      borrow = difference >> 63;
    }
  }

 private:
  static constexpr int size = 64;
  std::array<std::uint32_t, size> words_{};
};

/// numerator / denominator, both positive: long division to 64 bits, then one rounding.
double quotient(Big numerator, Big denominator) {
  // Scale by powers of two until the quotient lies in [1, 2).
  int exponent = numerator.bits() - denominator.bits();
  for (int i = exponent; i < 0; ++i) numerator.double_it();
  for (int i = exponent; i > 0; --i) denominator.double_it();
  if (!numerator.at_least(denominator)) {
    numerator.double_it();
    --exponent;
  }
  // 53 bits, fewer below the smallest normal number, and one more that decides the rounding with the rest.
  const int wanted = std::min(53, exponent + 1075);
  if (wanted < 0) return 0;
  std::uint64_t digits = 0;
  for (int i = 0; i <= wanted; ++i) {
    digits *= 2;
    if (numerator.at_least(denominator)) {
      numerator.subtract(denominator);
      ++digits;
    }
    numerator.double_it();
  }
  const bool half = digits & 1, rest = numerator.bits() != 0;
  digits >>= 1;
  if (half && (rest || (digits & 1))) ++digits;
  return std::ldexp(static_cast<double>(digits), exponent - wanted + 1);
}

}  // namespace

double decimal(std::string_view number) {
  constexpr int max_digits = 40, max_exponent = 400;
  const bool negative = number.front() == '-';
  Big digits(0);
  int count = 0, exponent = 0;
  bool fraction = false;
  std::size_t i = negative;
  for (; i < number.size() && number[i] != 'e' && number[i] != 'E'; ++i) {
    if (number[i] == '.') {
      fraction = true;
      continue;
    }
    const std::uint32_t digit = static_cast<std::uint32_t>(number[i] - '0');
    const bool kept = count < max_digits;
    if (kept) {
      digits.multiply_add(10, digit);
      if (count > 0 || digit != 0) ++count;
    }
    if (fraction == kept) exponent += fraction ? -1 : 1;
  }
  if (i < number.size()) {
    ++i;
    const bool minus = number[i] == '-';
    if (minus || number[i] == '+') ++i;
    int written = 0;
    for (; i < number.size(); ++i) written = std::min(written * 10 + (number[i] - '0'), 100000);
    // Zeros before the digits of a fraction may be many, so the written exponent is added before it is
    // judged.
    exponent += minus ? -written : written;
  }
  double magnitude = 0;
  if (count != 0) {
    if (exponent > max_exponent) {
      magnitude = std::numeric_limits<double>::infinity();
    } else if (exponent >= -max_exponent) {
      Big scale(1);
      for (int e = std::abs(exponent); e > 0; --e) (exponent > 0 ? digits : scale).multiply_add(10, 0);
      magnitude = quotient(digits, scale);
    }
  }
  return negative ? -magnitude : magnitude;
}

}  // namespace ropewalk::json
