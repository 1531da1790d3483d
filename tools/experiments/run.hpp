// Trains and tests one run. The same settings give the same numbers on every thread and beside any other run.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "data.hpp"
#include "settings.hpp"

namespace ropewalk::experiments {

// The plan's config.json, an object that is not empty, with the `vocab_size` and `num_labels` of the data.
std::string with_vocabulary(const std::string& config, const Data& data);

// The result of a run.
struct Trained {
  std::string result;              // one line of JSON
  std::vector<std::byte> weights;  // model.safetensors, if they are kept
};

// `weights`: model.safetensors to begin with, or empty. `at` is told the steps done, at every evaluation.
Trained train_and_test(const Settings& settings, std::span<const std::byte> weights,
                       const std::function<void(std::size_t)>& at);

}  // namespace ropewalk::experiments
