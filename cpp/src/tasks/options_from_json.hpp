#pragma once

// TaskOptions from JSON text, as the bindings pass them, by the table in tasks/options.hpp.

#include <string_view>

#include "ropewalk/task.hpp"

namespace ropewalk {

/// type error for names that are not known or members of the wrong type; range error for the rest.
Result<TaskOptions> task_options_from_json(std::string_view text);

}  // namespace ropewalk
