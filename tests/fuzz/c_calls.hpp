#pragma once

// How targets of the C interface make arguments: sound ones, null pointers, and counts that fit nothing.

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "ropewalk_models.h"
#include "target.hpp"

namespace ropewalk::fuzz::c {

/// True if a call succeeded. One that failed must leave an error with its code and a message.
inline bool succeeded(ropewalk_status status, const char* function) {
  if (status == ROPEWALK_OK) return true;
  require(status > 0 && status <= ROPEWALK_ERROR_UNSUPPORTED, "a status is one of the codes", function);
  ropewalk_error error;
  ropewalk_last_error(&error);
  require(error.code == status && *error.message != '\0', "an error has the code and a message", function);
  return false;
}

/// The object that a call made, or null.
template <class Made>
void require_made(bool ok, const Made* made, const char* function) {
  require(ok == (made != nullptr), "a call makes something, or fails", function);
}

/// Objects of one kind that are alive, a few at most.
template <class Object, void destroy(Object*)>
class Living {
 public:
  Living() = default;
  Living(const Living&) = delete;
  Living& operator=(const Living&) = delete;
  ~Living() {
    for (Object* each : all_) destroy(each);
  }

  void keep(Object* made) {
    if (made == nullptr) return;
    if (all_.size() == most) {
      destroy(all_.front());
      all_.erase(all_.begin());
    }
    all_.push_back(made);
  }
  /// One of them, or now and then NULL.
  Object* any(Numbers& numbers) const {
    const std::size_t index = numbers.whole(0, 15);
    return all_.empty() || index == 15 ? nullptr : all_[index % all_.size()];
  }
  void remove(Numbers& numbers) {
    Object* const one = any(numbers);
    std::erase(all_, one);
    destroy(one);
  }

 private:
  static constexpr std::size_t most = 3;
  std::vector<Object*> all_;
};

struct State {
  Living<ropewalk_rope, ropewalk_rope_destroy> ropes;
  Living<ropewalk_encoder, ropewalk_encoder_destroy> encoders;
  Living<ropewalk_decoder, ropewalk_decoder_destroy> decoders;
  // Destroyed before their decoders; the other order is met by remove().
  Living<ropewalk_cache, ropewalk_cache_destroy> caches;
};

/// `value`, or now and then something far from it.
inline std::size_t count_near(Numbers& numbers, std::size_t value) {
  constexpr std::size_t far[] = {0, 1, SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 8 + 1, SIZE_MAX / 65536, 65536};
  const std::size_t choice = numbers.whole(0, 31);
  if (choice < std::size(far)) return far[choice];
  return choice == 30 ? value + 1 : choice == 31 ? value - 1 : value;
}

inline std::int32_t choice(Numbers& numbers, std::size_t most) {
  const std::size_t value = numbers.whole(0, most + 2);
  return value > most ? -1 : static_cast<std::int32_t>(value);
}

template <class Pointer>
Pointer or_null(Numbers& numbers, Pointer pointer) {
  return numbers.whole(0, 31) == 31 ? nullptr : pointer;
}

inline double position(Numbers& numbers) {
  switch (numbers.whole(0, 3)) {
    case 0:
      return static_cast<double>(numbers.raw<std::int32_t>());
    case 1:
      return numbers.raw<double>();
    default:
      return numbers.real(-100, 100);
  }
}

inline std::vector<double> doubles(Numbers& numbers, std::size_t count) {
  std::vector<double> values(count);
  const double start = position(numbers), step = position(numbers);
  for (std::size_t i = 0; i < count; ++i) values[i] = start + step * static_cast<double>(i);
  return values;
}

/// A text that a call reads: one of the sound ones, or bytes of the input.
inline std::vector<char> text_of(Numbers& numbers, std::span<const std::string> sound) {
  const std::size_t index = numbers.whole(0, 7);
  if (index < 6 && !sound.empty()) {
    const std::string& text = sound[index % sound.size()];
    return {text.begin(), text.end()};
  }
  const auto bytes = numbers.bytes(255);
  return {bytes.begin(), bytes.end()};
}

/// Bytes for an array of `count` elements, filled before the call with what it may not change if it fails.
struct Array {
  Array(std::size_t count, std::int32_t dtype) : bytes(count * (dtype == ROPEWALK_FLOAT32 ? 4 : 2), 0x3c) {}
  void* data() { return bytes.data(); }
  bool is_clear() const {
    return std::ranges::all_of(bytes, [](std::uint8_t each) { return each == 0x3c; });
  }
  std::vector<std::uint8_t> bytes;
};

}  // namespace ropewalk::fuzz::c
