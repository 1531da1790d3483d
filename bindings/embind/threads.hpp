#pragma once

#include "ropewalk/threads.hpp"

namespace ropewalk::embind {

/// The threads that models are opened with: one, until JavaScript gives more. In WebAssembly nullptr, since every model of a
/// module has those of threads.cpp.
#if defined(__EMSCRIPTEN__)
constexpr Threads* threads() { return nullptr; }
#else
Threads* threads();
#endif

}  // namespace ropewalk::embind
