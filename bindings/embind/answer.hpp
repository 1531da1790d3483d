#pragma once

// Texts of plain exports: what goes in is an address and a size, what comes out waits for the caller.

#include <string>

namespace ropewalk::embind {

/// Keeps the text for ropewalk_text_address() and ropewalk_text_size().
void answer(std::string text);

}  // namespace ropewalk::embind
