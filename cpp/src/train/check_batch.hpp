#pragma once

// Checks of a batch before it is trained on.

#include <cstddef>

#include "ropewalk/trainer.hpp"

namespace ropewalk::trainer {

/// range error, beginning with `function`, for what Encoder::try_forward refuses and for labels or targets
/// that do not fit the objective. counted: those that are not -100.
Status check_batch(const Spec& spec, Objective objective, const TrainerBatch& batch, const char* function,
                   std::size_t& counted);

}  // namespace ropewalk::trainer
