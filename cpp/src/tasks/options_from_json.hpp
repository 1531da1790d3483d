#pragma once

// TaskOptions from JSON text, as the bindings pass them: `name`, `distance` and `seed`. Strict, as the
// options of the trainer are.

#include <string>
#include <string_view>

#include "ropewalk/task.hpp"

namespace ropewalk {

/// type error for names that are not known or members of the wrong type; range error for the rest. What
/// `name` views is kept in `owner`.
Result<TaskOptions> task_options_from_json(std::string_view text, std::string& owner);

}  // namespace ropewalk
