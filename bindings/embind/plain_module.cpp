// What module.cpp is to the modules with Embind: texts, memory in use, the last failure, as plain exports.

#include <emscripten/emscripten.h>
#include <malloc.h>

#include <utility>

#include "answer.hpp"
#include "last_error.hpp"

namespace ropewalk::embind {
namespace {

std::string text;

}  // namespace

void answer(std::string given) { text = std::move(given); }

}  // namespace ropewalk::embind

extern "C" {

EMSCRIPTEN_KEEPALIVE const char* ropewalk_text_address() { return ropewalk::embind::text.data(); }
EMSCRIPTEN_KEEPALIVE std::size_t ropewalk_text_size() { return ropewalk::embind::text.size(); }
EMSCRIPTEN_KEEPALIVE double ropewalk_heap_bytes() { return static_cast<double>(mallinfo().uordblks); }
EMSCRIPTEN_KEEPALIVE int ropewalk_error_code() { return ropewalk::embind::error_code(); }
/// Makes the message the text.
EMSCRIPTEN_KEEPALIVE void ropewalk_error_message() {
  ropewalk::embind::answer(ropewalk::embind::error_message());
}
}
