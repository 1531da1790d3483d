#pragma once

// Calls answer with a code, 0 for success; the message waits here and is fetched only when it is needed.

#include <string>

#include "ropewalk/status.hpp"

namespace ropewalk::embind {

/// Keeps a failure for errorMessage() and errorCode(), and returns its code.
int keep(const Status& status);

int error_code();
std::string error_message();

}  // namespace ropewalk::embind
