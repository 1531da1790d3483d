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
inline constexpr std::string_view options::words_of<Objective>[5] = {
    trainer::kind_of(Objective::masked_language_model).name, trainer::kind_of(Objective::classification).name,
    trainer::kind_of(Objective::regression).name, trainer::kind_of(Objective::causal_language_model).name,
    trainer::kind_of(Objective::contrastive).name};

template <>
inline constexpr std::string_view options::words_of<Pooling>[6] = {"cls",           "max",          "mean",
                                                                   "mean_sqrt_len", "weightedmean", "last"};

template <>
struct options::Describe<ContrastiveOptions> {
  using R = ContrastiveOptions;
  static constexpr std::string_view owner = "the contrastive objective";
  static constexpr std::string_view says =
      "InfoNCE (van den Oord et al., arXiv 1807.03748, equation 4) over the pairs of a batch: the "
      "cross-entropy of each "
      "anchor's own positive among the positives of the batch, with the cosine of two sentence vectors, "
      "divided by the "
      "temperature, as the logit.";
  static constexpr auto fields = std::tuple(
      optional("temperature", &R::temperature,
               {.range = between(1e-3, 1e3),
                .label = "temperature",
                .says = "Divides the cosines. The smaller it is, the more the nearest negatives count."}),
      optional(
          "symmetric", &R::symmetric,
          {.label = "symmetric",
           .says = "True if the loss is the mean of both directions: the positive of each anchor, and the "
                   "anchor of each positive (CLIP, arXiv 2103.00020)."}),
      optional(
          "pooling", &R::pooling,
          {.label = "pooling",
           .says = "How the hidden states of a sequence become its vector. Use the model with the same."}));
};

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
               "classification head of a configuration with one label, under the mean squared error. The "
               "contrastive objective trains sentence vectors from pairs of texts."}),
      optional("optimizer", &R::optimizer, {.says = "How a step follows from a gradient."}),
      optional("contrastive", &R::contrastive, {.says = "For the contrastive objective alone."}));
};

}  // namespace ropewalk
