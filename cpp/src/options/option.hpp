#pragma once

// How an options struct describes itself. Each struct has one table, Describe<T>::fields, and everything else that
// knows its options works from it: the JSON reader (read.hpp), the range check (check.hpp), the JSON writer
// (write.hpp) and, through tools/options, the TypeScript types and the forms of the playground. The table of a struct
// stands beside the code that obeys it.

#include <cstddef>
#include <limits>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ropewalk::options {

/// The values that a number, or each number of a list, may have. NaN and infinity are never allowed.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  /// `low` itself, or `high` itself, is not allowed.
  bool above = false, below = false;
};
inline constexpr Range finite{};
constexpr Range at_least(double low) { return {.low = low}; }
constexpr Range above(double low) { return {.low = low, .above = true}; }
constexpr Range between(double low, double high) { return {.low = low, .high = high}; }
constexpr Range from_below(double low, double high) { return {.low = low, .high = high, .below = true}; }
/// Whole numbers up to 2^53 - 1, beyond which JavaScript's numbers have gaps. Without it, up to 2^32 - 1.
inline constexpr Range any_whole = between(0, 9007199254740991);

/// The words for people, and what a form needs.
struct Words {
  Range range = finite;
  /// The name beside the field of a form.
  std::string_view label = "";
  /// One sentence.
  std::string_view says = "";
  /// The effect of a missing value, where that is no number of the struct.
  std::string_view otherwise = "";
  /// The first value in a form, for an option without a default.
  double example = std::numeric_limits<double>::quiet_NaN();
};

/// One option: its name in JSON and the member that holds it. A missing option keeps the struct's own default.
template <class Owner, class T>
struct Option {
  std::string_view name;
  T Owner::* member;
  bool required;
  Words words;
};

template <class Owner, class T>
constexpr Option<Owner, T> optional(std::string_view name, T Owner::* member, Words words) {
  return {name, member, false, words};
}
template <class Owner, class T>
constexpr Option<Owner, T> required(std::string_view name, T Owner::* member, Words words) {
  return {name, member, true, words};
}

/// The table of T: `owner`, who needs what is required ("every rope"), and `fields`, a tuple of Option. An alternative
/// of a variant also has `type`, its tag in JSON; `structure`, its name in C++; `label` and `says`; and, where it has them,
/// `formula` and `source`.
template <class T>
struct Describe;

template <class T>
concept Described = requires { Describe<T>::fields; };
template <class T>
concept Tagged = requires { Describe<T>::type; };

/// The range of a number, with its name for the error.
struct Limit {
  std::string_view name;
  Range range;
};

/// One option of the table of T. Each part is a constant of its own, so that a program that reads and checks options does
/// not carry their sentences.
template <Described T, std::size_t I>
struct OptionAt {
  static constexpr std::string_view name = std::get<I>(Describe<T>::fields).name;
  static constexpr auto member = std::get<I>(Describe<T>::fields).member;
  static constexpr bool required = std::get<I>(Describe<T>::fields).required;
  static constexpr Limit limit{name, std::get<I>(Describe<T>::fields).words.range};
};

/// Calls `visit` once, with every OptionAt of T in order.
template <Described T, class Visit>
constexpr decltype(auto) with_options(Visit&& visit) {
  constexpr std::size_t count = std::tuple_size_v<std::remove_cvref_t<decltype(Describe<T>::fields)>>;
  return [&]<std::size_t... I>(std::index_sequence<I...>) -> decltype(auto) {
    return visit(OptionAt<T, I>{}...);
  }(std::make_index_sequence<count>{});
}

/// The words of an enumeration in JSON, each at the place of its value.
template <class Enumeration>
inline constexpr std::string_view words_of[2] = {};

}  // namespace ropewalk::options
