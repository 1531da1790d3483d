#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

/// FNV-1a of 64 bits, by which tests pin every bit of a result in a few characters.
class Hash {
 public:
  void add(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i) state_ = (state_ ^ bytes[i]) * 0x100000001b3U;
  }
  void add(std::span<const float> values) { add(values.data(), values.size_bytes()); }
  void add(std::string_view text) { add(text.data(), text.size()); }
  void add(double value) { add(&value, sizeof value); }

  std::uint64_t value() const { return state_; }
  /// As hexadecimal digits.
  std::string text() const {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(state_));
    return digits;
  }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

inline std::string hash_of(std::span<const float> values) {
  Hash hash;
  hash.add(values);
  return hash.text();
}
