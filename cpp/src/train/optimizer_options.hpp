#pragma once

// The options of the optimiser: their table, and the rate and the corrections that they give a step.

#include <cstdint>
#include <string_view>
#include <tuple>

#include "options/option.hpp"
#include "ropewalk/trainer.hpp"

namespace ropewalk {

template <>
struct options::Describe<OptimizerOptions> {
  using R = OptimizerOptions;
  static constexpr std::string_view owner = "the optimiser";
  static constexpr std::string_view says =
      "AdamW (Loshchilov and Hutter, arXiv 1711.05101, algorithm 2). The rate of step n = 1, 2, ... is "
      "learning_rate * n / warmup_steps up to warmup_steps. From there it falls linearly to "
      "learning_rate * end_factor after total_steps.";
  static constexpr auto fields = std::tuple(
      optional("learning_rate", &R::learning_rate,
               {.range = at_least(0), .label = "learning rate", .says = "The largest rate of a step."}),
      optional("beta1", &R::beta1,
               {.range = from_below(0, 1),
                .label = "\u03b2 1",
                .says = "Decay of the first moment from step to step."}),
      optional("beta2", &R::beta2,
               {.range = from_below(0, 1),
                .label = "\u03b2 2",
                .says = "Decay of the second moment from step to step."}),
      optional("epsilon", &R::epsilon,
               {.range = from_below(1e-30, 1),
                .label = "\u03b5",
                .says = "Added to the root of the second moment, which a step is divided by."}),
      optional(
          "weight_decay", &R::weight_decay,
          {.range = at_least(0),
           .label = "weight decay",
           .says =
               "Decoupled from the gradient. Matrices decay, biases and the parameters of norms do not."}),
      optional("clip_norm", &R::clip_norm,
               {.range = at_least(0),
                .label = "largest gradient",
                .says = "The gradient of all parameters together is shortened to this length. 0: never."}),
      optional(
          "warmup_steps", &R::warmup_steps,
          {.range = any_whole, .label = "warm-up steps", .says = "Steps until the rate is the largest."}),
      optional("total_steps", &R::total_steps,
               {.range = any_whole,
                .label = "steps in all",
                .says = "Steps until the rate has fallen to its end. 0: it does not fall. Otherwise at least "
                        "warmup_steps."}),
      optional(
          "end_factor", &R::end_factor,
          {.range = between(0, 1),
           .label = "rate at the end",
           .says =
               "The share of learning_rate that is left after total_steps, as PyTorch's LinearLR has it."}));
};

namespace trainer {

// Only products and quotients, which IEEE 754 rounds alike everywhere; pow of the maths library is not.

/// Rate of the step numbered `step`, from 1 on.
inline double learning_rate(const OptimizerOptions& options, std::uint64_t step) {
  if (step < options.warmup_steps) {
    return options.learning_rate * static_cast<double>(step) / static_cast<double>(options.warmup_steps);
  }
  if (options.total_steps == 0) return options.learning_rate;
  if (step > options.total_steps) return options.learning_rate * options.end_factor;
  const std::uint64_t first = options.warmup_steps == 0 ? 1 : options.warmup_steps;  // step at the full rate
  const double left = static_cast<double>(options.total_steps - step + 1);
  const double all = static_cast<double>(options.total_steps - first + 1);
  return options.learning_rate * (left + options.end_factor * (all - left)) / all;
}

/// base^exponent by squaring.
inline double power(double base, std::uint64_t exponent) {
  double result = 1;
  for (; exponent != 0; exponent >>= 1, base *= base) {
    if ((exponent & 1) != 0) result *= base;
  }
  return result;
}

}  // namespace trainer
}  // namespace ropewalk
