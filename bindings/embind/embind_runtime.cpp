// Embind's part in C++, in the place of Emscripten's own (system/lib/embind/bind.cpp). That one registers every type that
// a function could take: strings of four widths, typed arrays, 64-bit integers and JavaScript values. Their conversions
// are 10 KB of JavaScript that no function of ours needs, since texts and arrays cross as addresses.

#include <emscripten/bind.h>

#include <cstring>
#include <limits>
#include <typeinfo>

using namespace emscripten::internal;
using emscripten::EM_VAL;

namespace {

template <class T>
void register_integer(const char* name) {
  _embind_register_integer(TypeID<T>::get(), name, sizeof(T), std::numeric_limits<T>::min(),
                           std::numeric_limits<T>::max());
}

}  // namespace

extern "C" {

/// Embind names a type that is not registered below in an error at the start of the module, and frees the
/// name.
const char* __getTypeName(const std::type_info*) {
  return strdup("one that embind_runtime.cpp does not register");
}

// For modules that start again in every thread, of which there are none.
void _embind_initialize_bindings() {}
void _embind_register_bindings(InitFunc*) {}

// For coroutines that wait for a JavaScript value, of which there are none. The linker would look for them
// elsewhere.
void _emval_coro_resume(emscripten::val::awaiter*, EM_VAL) {}
void _emval_coro_reject(emscripten::val::awaiter*, EM_VAL) {}
}

EMSCRIPTEN_BINDINGS(ropewalk_types) {
  _embind_register_void(TypeID<void>::get(), "void");
  _embind_register_bool(TypeID<bool>::get(), "bool", true, false);
  register_integer<int>("int");
  register_integer<unsigned>("unsigned int");
  register_integer<unsigned long>("unsigned long");
  _embind_register_float(TypeID<double>::get(), "double", sizeof(double));
}
