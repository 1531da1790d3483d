#include "answer.hpp"

#include <emscripten/emscripten.h>

#include <utility>

namespace ropewalk::embind {
namespace {

std::string kept;
std::string_view shown;

}  // namespace

void answer(std::string text) {
  kept = std::move(text);
  shown = kept;
}

void show(std::string_view text) { shown = text; }

extern "C" {

EMSCRIPTEN_KEEPALIVE const char* ropewalk_text_address() { return shown.data(); }
EMSCRIPTEN_KEEPALIVE std::size_t ropewalk_text_size() { return shown.size(); }
EMSCRIPTEN_KEEPALIVE void ropewalk_free_text() { answer({}); }
}

}  // namespace ropewalk::embind
