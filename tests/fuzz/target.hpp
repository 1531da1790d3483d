#pragma once

// Shared by the fuzz targets. A target is one file with LLVMFuzzerTestOneInput: linked with libFuzzer it searches
// (`npm run fuzz`), linked with replay.cpp it runs over its corpus (`npm test`).

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include "ropewalk/status.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace ropewalk::fuzz {

/// A promise that any input must keep. Ends the process, which is how libFuzzer learns of it.
inline void require(bool holds, std::string_view promise, std::string_view about = {}) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %.*s %.*s\n", static_cast<int>(promise.size()), promise.data(),
               static_cast<int>(about.size()), about.data());
  std::abort();
}

/// An error says what is wrong.
inline void require_words(const Status& status) {
  require(!status.message().empty(), "an error has a message");
}

/// The input in a block of its own whose size is exact, so that the address sanitizer sees a read beyond its end.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : size_(size), bytes_(new std::byte[size]) {
    if (size > 0) std::memcpy(bytes_.get(), data, size);
  }
  std::span<const std::byte> bytes() const { return {bytes_.get(), size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes_.get()), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<std::byte[]> bytes_;
};

/// Takes numbers from the input's beginning; when it has ended they are all 0.
class Numbers {
 public:
  Numbers(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

  bool ended() const { return rest_.empty(); }
  template <class T>
  T raw() {
    T value{};
    const std::size_t n = rest_.size() < sizeof(T) ? rest_.size() : sizeof(T);
    if (n > 0) std::memcpy(&value, rest_.data(), n);
    rest_ = rest_.subspan(n);
    return value;
  }
  /// From low to high, both included.
  std::size_t whole(std::size_t low, std::size_t high) {
    const std::size_t range = high - low + 1;
    return low + (range <= 256 ? raw<std::uint8_t>() : raw<std::uint32_t>()) % range;
  }
  bool flag() { return raw<std::uint8_t>() % 2 == 1; }
  double real(double low, double high) { return low + (high - low) * raw<std::uint16_t>() / 65535.0; }
  /// Up to `most` bytes, at most 255.
  std::span<const std::uint8_t> bytes(std::size_t most) {
    const std::size_t asked = whole(0, most), n = asked < rest_.size() ? asked : rest_.size();
    const auto taken = rest_.first(n);
    rest_ = rest_.subspan(n);
    return taken;
  }

 private:
  std::span<const std::uint8_t> rest_;
};

}  // namespace ropewalk::fuzz
