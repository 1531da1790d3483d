// What belongs to no object: version, memory in use, the last failure.

#include <emscripten/bind.h>
#include <malloc.h>

#include <string>

#include "last_error.hpp"

namespace {

std::string version() { return ROPEWALK_VERSION; }

/// Bytes that are allocated now, so that a leak shows; the memory itself never shrinks.
double heap_bytes() { return static_cast<double>(static_cast<std::size_t>(mallinfo().uordblks)); }

}  // namespace

EMSCRIPTEN_BINDINGS(ropewalk_module) {
  using namespace emscripten;
  function("version", &version);
  function("heapBytes", &heap_bytes);
  function("errorCode", &ropewalk::embind::error_code);
  function("errorMessage", &ropewalk::embind::error_message);
}
