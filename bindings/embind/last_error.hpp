#pragma once

// Calls answer with a code, 0 for success; what the error is about waits here and is fetched only when it is needed.

#include "ropewalk/status.hpp"

namespace ropewalk::embind {

/// Keeps a failure for ropewalk_error_code() and ropewalk_error_data(), and returns its code.
int keep(const Status& status);

/// As keep(), of a failure that takes no memory any more.
void keep_no_memory();

int error_code();

}  // namespace ropewalk::embind
