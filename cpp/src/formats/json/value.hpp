#pragma once

// A parsed JSON text as plain values.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/status.hpp"

namespace ropewalk::json {

enum class Kind : std::uint8_t { null, boolean, whole, real, text, array, object };

struct Member;

struct Value {
  Kind kind = Kind::null;
  bool boolean = false;
  /// A whole number, written without point and exponent: -magnitude if negative, otherwise magnitude.
  bool negative = false;
  std::uint64_t magnitude = 0;
  /// The value of both kinds of numbers.
  double real = 0;
  /// The characters of a text; of a real number, what was written.
  std::string text;
  std::vector<Value> items;
  /// In the order of the text; no name occurs twice.
  std::vector<Member> members;

  /// The member of an object, or nullptr.
  const Value* find(std::string_view name) const;
};

struct Member {
  std::string name;
  Value value;
};

/// Parses a whole JSON text: strict UTF-8, no comments, white space allowed around it, at most 64 levels
/// deep. A name that occurs twice in one object is an error. `function` and `what` begin the message.
Result<Value> parse(std::string_view text, std::string_view function, std::string_view what);

/// A value as a message quotes it: short values as JSON, long ones and containers by their kind.
std::string quoted(const Value& value);

/// `text` as a JSON string, with its quotation marks.
std::string quoted(std::string_view text);

}  // namespace ropewalk::json
