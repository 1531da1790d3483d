#pragma once

#include "ropewalk/spec.hpp"

namespace ropewalk::model {

/// range error for sizes out of range or that do not fit each other, and for what is not done; each names the
/// field.
Status check_spec(const Spec& spec);

/// Refuses models that only a decoder runs, over a cache: encoders and trainers have no other pass for them.
Status check_runs_without_cache(const Spec& spec);

}  // namespace ropewalk::model
