#pragma once

// Which keys of a configuration are errors because nobody reads them.

#include <span>
#include <string_view>

#include "rope_config/keys.hpp"

namespace ropewalk::rope_config {

/// For a dictionary of rope parameters: every key must be in `known`. `others` are the keys that the reader
/// knows in other dictionaries of the kind: for them the message says `owner` ("the rule \"yarn\"") does not
/// read it.
void check_dictionary(const Keys& keys, std::span<const std::string_view> known,
                      std::span<const std::string_view> others, std::string_view owner);

/// For the object around it, most of whose keys are the model's business: a key must be in `known` if a word
/// of it is rope, mrope or rotary, or if it is one or two letters from one that is.
void check_top_level(const Keys& keys, std::span<const std::string_view> known);

/// Whether a word of the key, cut at underscores, begins with rope or rotary, or is mrope.
bool speaks_of_rope(std::string_view key);

}  // namespace ropewalk::rope_config
