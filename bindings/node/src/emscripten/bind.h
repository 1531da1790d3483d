#pragma once

// The part of Embind's vocabulary that bindings/embind uses, by Node-API: functions, and classes with methods that are free
// functions. Pointers that a function gives belong to JavaScript, as return_value_policy::take_ownership says.

#include <string>
#include <string_view>

#include "calls.hpp"

namespace emscripten {

// NOLINTBEGIN: names are Embind's.
namespace return_value_policy {
struct take_ownership {};
}  // namespace return_value_policy

/// Without the names of parameters, which are for declarations.
inline std::string name_in(std::string_view declaration) {
  return std::string(declaration.substr(0, declaration.find('(')));
}

template <class Result, class... Parameters, class... Policies>
void function(const char* name, Result (*function)(Parameters...), Policies...) {
  using namespace ropewalk::node;
  functions().push_back(
      {name_in(name),
       std::make_unique<const Function<Kind::embind, false, Result, Parameters...>>(function)});
}

template <class T>
class class_ {
 public:
  explicit class_(const char* name) {
    ropewalk::node::Class& the_class = ropewalk::node::class_of<T>();
    the_class.name = name;
    the_class.destroy = [](void* object) { delete static_cast<T*>(object); };
    ropewalk::node::classes().push_back(&the_class);
  }

  template <class Result, class... Parameters, class... Policies>
  class_& function(const char* name, Result (*function)(Parameters...), Policies...) {
    using namespace ropewalk::node;
    class_of<T>().methods.push_back(
        {name_in(name),
         std::make_unique<const Function<Kind::embind, true, Result, Parameters...>>(function)});
    return *this;
  }
};
// NOLINTEND

}  // namespace emscripten

#define EMSCRIPTEN_BINDINGS(name)                                 \
  static void name##_bindings();                                  \
  static const bool name##_are_bound = (name##_bindings(), true); \
  static void name##_bindings()
