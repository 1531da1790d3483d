#pragma once

// Suggestions for unknown names.

#include <span>
#include <string_view>

#include "formats/json/value.hpp"

namespace ropewalk::json {

/// Levenshtein distance: the number of letters to insert, remove or replace.
std::size_t changes(std::string_view a, std::string_view b);

/// The name of `known` with the smallest distance from `name`. If all are far away, the shortest one that
/// begins with `name`, or an empty one.
std::string_view nearest(std::string_view name, std::span<const std::string_view> known);

/// Type error for the first member of `object` whose name is not known: "rope: unknown option
/// `frequencies.bse`; did you mean `base`?". `path` is written before the name: "frequencies." or nothing.
Status check_names(const Value& object, std::span<const std::string_view> known, std::string_view function,
                   std::string_view path);

}  // namespace ropewalk::json
