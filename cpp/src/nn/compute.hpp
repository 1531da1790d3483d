#pragma once

// The kernels of an architecture and the threads with which a model computes. Both are chosen once, when the model is opened.
// The model holds them, a pass hands them to blocks (model/pass.hpp), and blocks to the functions of this folder.

#include <cstdint>

#include "arch/select.hpp"
#include "ropewalk/threads.hpp"

namespace ropewalk {
enum class Precision : std::uint8_t;
}

namespace ropewalk::nn {

#if defined(__EMSCRIPTEN__)

/// The threads of a module of WebAssembly, where there is nothing to choose: nullptr, unless the module brings its own as
/// bindings/embind/threads.cpp does.
Threads* module_threads();

/// Empty, so that passing it on costs nothing, and a module without threads contains no code that would divide jobs.
class HeldThreads {
 public:
  constexpr HeldThreads(Threads*) {}
  operator Threads*() const { return module_threads(); }
};

#else

using HeldThreads = Threads*;

#endif

/// The kernels and threads of a model. Small enough to be passed by value.
class Compute {
 public:
  explicit Compute(arch::Architecture architecture, Threads* threads = nullptr)
      : architecture_(architecture), threads_(threads) {}
  /// For a model in that precision: int8 has the same bits on every architecture. `threads`, or nullptr for the calling
  /// thread alone, must outlive the model.
  static Compute in(Precision precision, Threads* threads = nullptr);

  arch::Architecture architecture() const { return architecture_; }
  const kernels::DenseKernels& dense() const { return architecture_->dense; }
  const kernels::Int8Kernels& int8() const { return arch::int8(architecture_); }
  const kernels::Kernels& kernels() const { return *architecture_; }
  /// nullptr: the calling thread alone.
  Threads* threads() const { return threads_; }

 private:
  [[no_unique_address]] arch::Architecture architecture_;
  [[no_unique_address]] HeldThreads threads_;
};

}  // namespace ropewalk::nn
