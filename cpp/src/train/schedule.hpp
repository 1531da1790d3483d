// What the optimiser's rate and corrections are at a step. Only products and quotients, which IEEE 754 rounds
// alike everywhere; pow of the maths library is not.
#pragma once

#include <cstdint>

#include "ropewalk/trainer.hpp"

namespace ropewalk::trainer {

// Rate of the step numbered `step`, from 1 on.
inline double learning_rate(const OptimizerOptions& options, std::uint64_t step) {
  if (step < options.warmup_steps) {
    return options.learning_rate * static_cast<double>(step) / static_cast<double>(options.warmup_steps);
  }
  if (options.total_steps == 0) return options.learning_rate;
  if (step > options.total_steps) return 0;
  const std::uint64_t first = options.warmup_steps == 0 ? 1 : options.warmup_steps;  // step at the full rate
  return options.learning_rate * static_cast<double>(options.total_steps - step + 1) /
         static_cast<double>(options.total_steps - first + 1);
}

// base^exponent by squaring.
inline double power(double base, std::uint64_t exponent) {
  double result = 1;
  for (; exponent != 0; exponent >>= 1, base *= base) {
    if ((exponent & 1) != 0) result *= base;
  }
  return result;
}

}  // namespace ropewalk::trainer
