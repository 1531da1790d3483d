// The version of the package.

#include <emscripten/emscripten.h>

#include "answer.hpp"

extern "C" {

/// Makes it the text.
EMSCRIPTEN_KEEPALIVE void ropewalk_version() { ropewalk::embind::show(ROPEWALK_VERSION); }
}
