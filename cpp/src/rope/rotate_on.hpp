#pragma once

#include "arch/select.hpp"
#include "ropewalk/rope.hpp"

namespace ropewalk {

/// Rope::try_rotate by the kernels of a model, whichever are in use.
Status rotate_on(arch::Architecture architecture, const Rope& rope, ArrayRef x, MutableArrayRef out,
                 const Placement& placement, Role role = Role::query);
/// Rope::try_rerotate, alike.
Status rerotate_on(arch::Architecture architecture, const Rope& rope, ArrayRef x, MutableArrayRef out,
                   const Placement& placement, const Target& to, Role role = Role::key);

}  // namespace ropewalk
