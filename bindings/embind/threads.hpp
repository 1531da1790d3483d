#pragma once

#include "ropewalk/threads.hpp"

namespace ropewalk::embind {

/// The module's threads, which its models compute on: one, until JavaScript gives more.
Threads& threads();

}  // namespace ropewalk::embind
