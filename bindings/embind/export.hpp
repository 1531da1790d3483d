#pragma once

// A function that takes and gives numbers, called by its name with an underscore in front: an export of the module of
// WebAssembly, or natively of the addon for Node (bindings/node). Inside extern "C".

#if defined(__EMSCRIPTEN__)

#include <emscripten/em_macros.h>

#define ROPEWALK_EXPORT(Result, name, ...) EMSCRIPTEN_KEEPALIVE Result name(__VA_ARGS__)

/// Marks state that a module has once. Natively each thread of JavaScript has its own.
#define ROPEWALK_PER_THREAD

#else

#include "exports.hpp"

#define ROPEWALK_EXPORT(Result, name, ...)                                       \
  Result name(__VA_ARGS__);                                                      \
  static const ropewalk::node::Export exported_by_node_##name("_" #name, &name); \
  Result name(__VA_ARGS__)

#define ROPEWALK_PER_THREAD thread_local

#endif
