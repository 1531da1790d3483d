// The tasks by name, and what each allows as its distance.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
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

/// A task as it is listed: its name, how it is made, and its default `distance` with the range; 0 where it has none.
struct Entry {
  std::string_view name;
  std::unique_ptr<Kind> (*make)(const Wanted&);
  std::size_t distance, least, most;
};
std::span<const Entry> all();

}  // namespace ropewalk::task
