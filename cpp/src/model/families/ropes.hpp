#pragma once

// The ropes of a model: one for all layers, or one for each type of layers, with a window and without.

#include <string_view>
#include <vector>

#include "model/families/keys.hpp"

namespace ropewalk::model {

inline constexpr std::string_view full_attention = "full_attention", sliding_attention = "sliding_attention";

/// Says for each layer whether it is of the type that is not full attention: by `layer_types`, else as in `otherwise`.
std::vector<bool> read_layer_types(Keys& keys, std::vector<bool> otherwise,
                                   std::string_view type = sliding_attention);

/// The base of a type of layers has an old key and a new one, in `rope_parameters`, which must agree.
void check_base(Keys& keys, std::string_view old_key, std::string_view type);

/// One rope for all layers. Does nothing after an error.
void read_one_rope(Keys& keys, const json::Value& config, Spec& spec);

/// A rope for each type that there is, which layers have it, and their window: the reach of those that slide.
void read_ropes_by_type(Keys& keys, const json::Value& config, const std::vector<bool>& slides,
                        std::size_t reach, Spec& spec);

}  // namespace ropewalk::model
