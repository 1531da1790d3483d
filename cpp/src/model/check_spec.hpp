#pragma once

#include "ropewalk/spec.hpp"

namespace ropewalk::model {

/// range error for sizes out of range or that do not fit each other, and for what is not done; each names the
/// field.
Status check_spec(const Spec& spec);

}  // namespace ropewalk::model
