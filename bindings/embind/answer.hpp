#pragma once

// Texts go in and out as addresses and sizes. Embind would allocate them itself, without asking whether the memory was
// had.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ropewalk::embind {

/// Keeps the text for ropewalk_text_address() and ropewalk_text_size().
void answer(std::string text);
/// The same of a text that outlives the answer.
void show(std::string_view text);

/// A text that TypeScript placed.
inline std::string_view text_at(std::uintptr_t address, std::size_t size) {
  return {reinterpret_cast<const char*>(address), size};
}

}  // namespace ropewalk::embind
