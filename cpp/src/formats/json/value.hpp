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
  /// The characters of a string; for a real number, its text.
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
  /// True if Value::find has returned this member.
  mutable bool found = false;

  /// True if the name is this number, with zeros before it or without: "5", "05".
  bool is_number(std::size_t number) const;
};

/// Limits of a text. Each value takes about a hundred bytes while the text is read, whatever its length.
struct Limits {
  std::size_t bytes, values;
};
/// For options and configurations. Frequencies of 128 heads are 2^13 values, the labels of ImageNet-21k 2^16.
constexpr Limits document_limits{std::size_t{1} << 24, std::size_t{1} << 18};

/// Parses a whole JSON text: strict UTF-8, no comments, white space allowed around it, at most 64 levels deep
/// and within `limits`. A name that occurs twice in one object is an error. `function` and `what` begin the
/// message. If the memory that it may need cannot be allocated, it fails before it starts.
Result<Value> parse(std::string_view text, std::string_view function, std::string_view what,
                    const Limits& limits = document_limits);

/// A value as messages quote it: short values as JSON, long values and containers by their type.
std::string quoted(const Value& value);

/// `text` as a JSON string, with its quotation marks.
std::string quoted(std::string_view text);

}  // namespace ropewalk::json
