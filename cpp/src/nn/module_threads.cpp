// The threads of a program that brings none.

#if defined(__EMSCRIPTEN__)

#include "nn/compute.hpp"

namespace ropewalk::nn {

Threads* module_threads() { return nullptr; }

}  // namespace ropewalk::nn

#endif
