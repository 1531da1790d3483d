// The version of a module with Embind.

#include <emscripten/bind.h>

#include <string>

namespace {

std::string version() { return ROPEWALK_VERSION; }

}  // namespace

EMSCRIPTEN_BINDINGS(ropewalk_module) { emscripten::function("version", &version); }
