#include "options/check.hpp"

#include <cmath>

#include "base/text.hpp"

namespace ropewalk::options {
namespace {

bool allows(const Range& range, double value) {
  return std::isfinite(value) && (range.above ? value > range.low : value >= range.low) &&
         (range.below ? value < range.high : value <= range.high);
}

std::string allowed(const Range& range) {
  if (std::isfinite(range.high)) {
    return range.above
               ? sentence({"a number above ", range.low, " and at most ", range.high})
               : sentence({"a number from ", range.low, range.below ? ", below " : " to ", range.high});
  }
  const std::string number = "a finite number";
  return std::isfinite(range.low) ? sentence({number, range.above ? " above " : " of at least ", range.low})
                                  : number;
}

}  // namespace

bool Checker::numbers(std::span<const double> values, const Limit& limit, bool indexed) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (allows(limit.range, values[i])) continue;
    std::string name = sentence({std::string(path), std::string(limit.name)});
    if (indexed) name += sentence({"[", i, "]"});
    status = out_of_range(function, name, values[i], allowed(limit.range));
    return false;
  }
  return true;
}

}  // namespace ropewalk::options
