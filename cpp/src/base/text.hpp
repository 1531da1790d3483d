#pragma once

// Words of error messages: every one names the function, the argument, its value and what is allowed. And the two ways to
// pass an error on.

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include "ropewalk/status.hpp"

namespace ropewalk {

/// The shortest decimal that reads back as the same double; "NaN", "Infinity", "-Infinity".
std::string text_of(double value);
inline std::string text_of(std::size_t value) { return text_of(static_cast<double>(value)); }

/// A text or a number of a sentence.
struct Piece {
  std::string_view words;
  double number = 0;
  bool is_number = false;
  Piece(std::string_view words) : words(words) {}
  Piece(const char* words) : words(words) {}
  Piece(const std::string& words) : words(words) {}
  Piece(double number) : number(number), is_number(true) {}
  Piece(std::size_t number) : number(static_cast<double>(number)), is_number(true) {}
  Piece(std::ptrdiff_t number) : number(static_cast<double>(number)), is_number(true) {}
};

/// Concatenates the pieces. One function for all messages: the compiler would generate each operator+
/// separately.
std::string sentence(std::initializer_list<Piece> pieces);

/// "rotate: `heads` is 0; allowed: a whole number of at least 1"
Status out_of_range(std::string_view function, std::string_view argument, std::string_view value,
                    std::string_view allowed);
inline Status out_of_range(std::string_view function, std::string_view argument, double value,
                           std::string_view allowed) {
  return out_of_range(function, argument, text_of(value), allowed);
}
inline Status out_of_range(std::string_view function, std::string_view argument, std::size_t value,
                           std::string_view allowed) {
  return out_of_range(function, argument, text_of(value), allowed);
}
/// As out_of_range, for a value of the wrong kind.
Status wrong_type(std::string_view function, std::string_view argument, std::string_view value,
                  std::string_view allowed);
/// As out_of_range, for a feature that a valid file needs and that is not implemented.
Status unsupported(std::string_view function, std::string_view argument, std::string_view value,
                   std::string_view allowed);
/// "train: `labels` has 5 elements; allowed: 6, `batch` * `sequence`"
Status wrong_count(std::string_view function, std::string_view argument, std::size_t count,
                   std::string_view allowed);

}  // namespace ropewalk

/// Returns the Status of the expression from the function that it stands in, unless it is ok.
#define ROPEWALK_TRY(...)                                                                                  \
  do {                                                                                                     \
    if (::ropewalk::Status ropewalk_failed = (__VA_ARGS__); !ropewalk_failed.ok()) return ropewalk_failed; \
  } while (false)

/// Declares `name` as the value of a Result, or returns its Status.
#define ROPEWALK_LET(name, ...)                           \
  auto name##_result = (__VA_ARGS__);                     \
  if (!name##_result.ok()) return name##_result.status(); \
  auto& name = name##_result.value()
