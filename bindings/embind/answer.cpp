#include "answer.hpp"

#include <utility>

#include "export.hpp"

namespace ropewalk::embind {
namespace {

ROPEWALK_PER_THREAD std::string kept;
ROPEWALK_PER_THREAD std::string_view shown;

}  // namespace

void answer(std::string text) {
  kept = std::move(text);
  shown = kept;
}

void show(std::string_view text) { shown = text; }

extern "C" {

ROPEWALK_EXPORT(const char*, ropewalk_text_address) { return shown.data(); }
ROPEWALK_EXPORT(std::size_t, ropewalk_text_size) { return shown.size(); }
ROPEWALK_EXPORT(void, ropewalk_free_text) { answer({}); }
}

}  // namespace ropewalk::embind
