#pragma once

// The model that a training begins with.

#include <string>
#include <vector>

#include "model/model.hpp"
#include "ropewalk/trainer.hpp"

namespace ropewalk::trainer {

/// The kind of head that an objective trains in a model of this spec; nullptr: the family has none,
/// or the objective needs none.
const model::HeadKind* head_kind(Objective objective, const Spec& spec);

/// From the seed, or from `checkpoint` (or nullptr); a head of the objective that the checkpoint holds
/// nothing of is from the seed as well. `notes` receives what is to be said about it.
Result<model::Model> make_model(const TrainerOptions& options, const Safetensors* checkpoint,
                                std::vector<std::string>& notes);

}  // namespace ropewalk::trainer
