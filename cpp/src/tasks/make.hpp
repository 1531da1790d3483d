// The tasks by name, and what each allows as its distance.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "ropewalk/status.hpp"
#include "ropewalk/task.hpp"
#include "tasks/kind.hpp"

namespace ropewalk::task {

struct Made {
  std::string_view name;
  std::size_t distance = 0;
  std::unique_ptr<Kind> kind;
};

Result<Made> make(const TaskOptions& options);

}  // namespace ropewalk::task
