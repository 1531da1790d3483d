#pragma once

// The state that a WebAssembly module has for itself, and that the addon has for each module that JavaScript opens: the memory
// that it sees, the block of hot calls, and threads.

#include <cstddef>
#include <deque>
#include <memory>
#include <unordered_map>

#include "calls.hpp"
#include "region.hpp"
#include "ropewalk/threads.hpp"

namespace ropewalk::node {

/// A function of the addon, bound to the module that it was taken from.
struct Bound {
  Instance* instance;
  const Callable* callable;
};

/// The state of one thread of JavaScript. Its objects keep it alive.
struct Instance {
  napi_env env = nullptr;
  Region region;
  /// Where the arguments of hot calls are: see bindings/embind/call.hpp.
  void* call = nullptr;
  /// Those of its models.
  ThreadPool pool{1};
  std::deque<Bound> bound;
  std::unordered_map<const Class*, napi_ref> constructors;
  /// The object whose member `buffer` is the memory, and how much of it JavaScript sees.
  napi_ref memory = nullptr;
  std::size_t seen = 0;
};

/// The instance whose call runs in this thread. There is one whenever code of bindings/embind runs.
Instance& current();

/// Makes it the current one while it lives.
class Current {
 public:
  explicit Current(Instance& instance);
  ~Current();
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  Instance* before_;
};

}  // namespace ropewalk::node
