#pragma once

// Strictness about names: which one of those known did the writer mean?

#include <span>
#include <string>
#include <string_view>

#include "formats/json/value.hpp"

namespace ropewalk::json {

/// Levenshtein distance: how many letters to insert, drop or replace.
std::size_t changes(std::string_view a, std::string_view b);

/// The name of `known` that takes the fewest changes of a letter to reach; when all are far, the shortest that
/// begins with `name`; or an empty one.
std::string_view nearest(std::string_view name, std::span<const std::string_view> known);

/// type error for the first member of `object` whose name is not known: "rope: unknown option
/// `frequencies.bse`; did you mean `base`?". `path` goes before the name: "frequencies." or nothing.
Status check_names(const Value& object, std::span<const std::string_view> known, std::string_view function,
                   std::string_view path);

}  // namespace ropewalk::json
