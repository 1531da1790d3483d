#pragma once

// Names of a family's parameters in a checkpoint. Blocks and heads name theirs by role.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ropewalk::model {

/// "{}" in a name is the number of the layer.
struct Name {
  std::string_view role, name;
};

struct Names {
  /// Begins the names of the base model in a checkpoint of a class with a head; files of the base class leave
  /// it out.
  std::string_view prefix;
  std::span<const Name> base;
  /// Names outside the base model: no prefix.
  std::span<const Name> heads;

  /// A role that the family does not know is its own name; that of a layer stands behind the prefix.
  std::string of(std::string_view role, std::optional<std::size_t> layer = {}) const;
  /// As of, or nothing where the family does not know the role.
  std::optional<std::string> find(std::string_view role, std::optional<std::size_t> layer = {}) const;
};

}  // namespace ropewalk::model
