#pragma once

// TrainerOptions from JSON text, as the bindings pass them: `seed`, `objective` by its word, and `optimizer`
// with the members of OptimizerOptions by name. Strict: a name that is not known is an error that says the
// nearest one that is. Configuration and weights travel apart.

#include <string_view>

#include "ropewalk/trainer.hpp"

namespace ropewalk {

/// type error for names that are not known or members of the wrong type; range error for the rest.
Result<TrainerOptions> trainer_options_from_json(std::string_view text);

}  // namespace ropewalk
