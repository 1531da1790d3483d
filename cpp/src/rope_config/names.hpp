#pragma once

// Finds keys of a configuration that are errors because no reader uses them.

#include <span>
#include <string_view>

#include "rope_config/keys.hpp"

namespace ropewalk::rope_config {

/// For a dictionary of rope parameters: every key must be in `known`. `others` are keys that the reader knows
/// in other dictionaries of this kind. For those the message says that `owner` ("the rule \"yarn\"") does not
/// read them.
void check_dictionary(const Keys& keys, std::span<const std::string_view> known,
                      std::span<const std::string_view> others, std::string_view owner);

/// For the object around it, most of whose keys concern other parts of the model. A key must be in `known` if
/// one of its words is rope, mrope or rotary, or if it is within two letters of a known key.
void check_top_level(const Keys& keys, std::span<const std::string_view> known);

/// True if a word of the key begins with rope or rotary, or is mrope. Words are separated by underscores.
bool speaks_of_rope(std::string_view key);

}  // namespace ropewalk::rope_config
