#pragma once

// The options of a task.

#include <string_view>
#include <tuple>

#include "options/option.hpp"
#include "ropewalk/task.hpp"

namespace ropewalk {

template <>
struct options::Describe<TaskOptions> {
  using R = TaskOptions;
  static constexpr std::string_view owner = "every task";
  static constexpr auto fields = std::tuple(
      optional("name", &R::name, {.label = "task", .says = "Name of the task."}),
      optional("distance", &R::distance,
               {.label = "distance",
                .says = "How far the tasks copy, period and needle look. 0: the task's default. The others "
                        "have no distance.",
                .otherwise = "by task"}),
      optional("seed", &R::seed,
               {.range = any_whole, .label = "seed", .says = "Seed of everything random in the task."}));
};

}  // namespace ropewalk
