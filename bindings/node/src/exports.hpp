#pragma once

#include "calls.hpp"

namespace ropewalk::node {

/// A plain export: see bindings/embind/export.hpp.
struct Export {
  template <class Result, class... Parameters>
  Export(const char* name, Result (*function)(Parameters...)) {
    functions().push_back(
        {name, std::make_unique<const Function<Kind::plain, false, Result, Parameters...>>(function)});
  }
};

}  // namespace ropewalk::node
