// Trains and tests one run. The same settings give the same numbers on every thread and beside any other run.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "ropewalk/task.hpp"
#include "settings.hpp"

namespace ropewalk::experiments {

// The plan's config.json, an object that is not empty, with the task's `vocab_size`.
std::string with_vocabulary(const std::string& config, const Task& task);

// The result as one line of JSON. `at` is told the steps done, at every evaluation.
std::string train_and_test(const Settings& settings, const std::function<void(std::size_t)>& at);

}  // namespace ropewalk::experiments
