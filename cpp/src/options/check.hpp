#pragma once

// The ranges of a table, checked for any struct that has one, wherever its values come from.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "options/option.hpp"
#include "ropewalk/frequencies.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk::options {

/// Who checks, and the names of the objects around the option: "frequencies." or nothing.
struct Checker {
  std::string_view function, path;
  /// The first error.
  Status status = {};

  /// Refuses a number that is not finite or out of its range. Returns true if all is well so far.
  bool number(const double& value, const Limit& limit) { return numbers({&value, 1}, limit, false); }
  /// The same for each number of a list; the message names it by its index if `indexed`.
  bool numbers(std::span<const double> values, const Limit& limit, bool indexed = true);

  bool option(double value, const Limit& limit) { return number(value, limit); }
  bool option(const std::optional<double>& value, const Limit& limit) {
    return !value || number(*value, limit);
  }
  bool option(const std::vector<double>& values, const Limit& limit) { return numbers(values, limit); }
  bool option(const frequencies::PerHead& each, const Limit& limit) {
    return numbers(each.values, limit, each.values.size() != 1);
  }
  /// Only numbers have ranges; other options are right once they are read.
  template <class T>
  bool option(const T&, const Limit&) {
    return true;
  }
};

template <Described T>
Status check_ranges(std::string_view function, std::string_view path, const T& options) {
  Checker checker{function, path};
  with_options<T>([&]<class... At>(At...) { (void)(checker.option(options.*At::member, At::limit) && ...); });
  return std::move(checker.status);
}

}  // namespace ropewalk::options
