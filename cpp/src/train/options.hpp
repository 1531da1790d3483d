#pragma once

// The options of a trainer. `spec` and `weights` come beside the JSON text, in which the bindings pass the others; how
// many shards and threads there are is for C++ alone.

#include <string_view>
#include <tuple>

#include "options/option.hpp"
#include "ropewalk/trainer.hpp"
#include "train/objectives.hpp"
#include "train/optimizer_options.hpp"

namespace ropewalk {

template <>
inline constexpr std::string_view options::words_of<Objective>[4] = {
    trainer::kind_of(Objective::masked_language_model).name, trainer::kind_of(Objective::classification).name,
    trainer::kind_of(Objective::regression).name, trainer::kind_of(Objective::causal_language_model).name};

template <>
struct options::Describe<TrainerOptions> {
  using R = TrainerOptions;
  static constexpr std::string_view owner = "every trainer";
  static constexpr std::string_view beside[] = {"config", "weights"};
  static constexpr auto fields = std::tuple(
      optional("seed", &R::seed,
               {.range = any_whole, .label = "seed", .says = "Seed of the initial weights and of dropout."}),
      optional(
          "objective", &R::objective,
          {.label = "objective",
           .says =
               "The objective that the loss measures. A causal language model predicts each token from those "
               "before it: the configuration of a RoFormer needs `is_decoder: true`. Regression is the "
               "classification head of a configuration with one label, under the mean squared error."}),
      optional("optimizer", &R::optimizer, {.says = "How a step follows from a gradient."}));
};

}  // namespace ropewalk
