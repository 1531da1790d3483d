#pragma once

// TrainerOptions from JSON text, as the bindings pass them, by the tables in train/options.hpp. Configuration and weights
// travel apart.

#include <string_view>

#include "ropewalk/trainer.hpp"

namespace ropewalk {

/// type error for names that are not known or members of the wrong type; range error for the rest.
Result<TrainerOptions> trainer_options_from_json(std::string_view text);

}  // namespace ropewalk
