// How fast training goes, beside how fast the library multiplies matrices.
#pragma once

#include <string>

#include "settings.hpp"

namespace ropewalk::experiments {

// Trains batches that are made beforehand, on one thread, for `steps` steps after `warmup_steps` that do not
// count. A line of JSON: tokens and multiply-adds per second of thread time, and the multiply-adds per second
// of the largest matrix product that fits the caches, measured before and after.
std::string measure_throughput(const Settings& settings);

}  // namespace ropewalk::experiments
