#pragma once

// The objectives, one line each: name, head that is trained, kind of labels.

#include <string_view>

#include "ropewalk/trainer.hpp"

namespace ropewalk::trainer {

struct ObjectiveKind {
  Objective objective;
  /// As options have it.
  std::string_view name;
  /// How the name of Hugging Face's class of a model with the head ends; empty: no head is trained.
  std::string_view class_name;
  /// True if each token has a label, an id. False: each sequence has one.
  bool of_tokens;
};

inline constexpr ObjectiveKind objectives[] = {
    {Objective::masked_language_model, "masked-language-model", "ForMaskedLM", true},
    {Objective::causal_language_model, "causal-language-model", "ForCausalLM", true},
    {Objective::classification, "classification", "ForSequenceClassification", false},
    {Objective::regression, "regression", "ForSequenceClassification", false},
    {Objective::contrastive, "contrastive", "", false},
};

constexpr const ObjectiveKind& kind_of(Objective objective) {
  for (const ObjectiveKind& kind : objectives) {
    if (kind.objective == objective) return kind;
  }
  return objectives[0];
}

}  // namespace ropewalk::trainer
