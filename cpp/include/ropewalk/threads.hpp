#pragma once

/// Threads that do parts of one call of a model. Every element of a result is computed as one thread computes it, so that
/// its bits do not depend on the number of threads.

#include <cstddef>
#include <memory>

namespace ropewalk {

/// Threads that a model computes on. A model holds those that it was opened with; without any, the calling thread does all.
/// They serve one call at a time: models that are called at the same time need threads of their own.
class Threads {
 public:
  /// Does part `index` of a job. `thread`, below count(), has the scratch memory of that number to itself. It may neither
  /// allocate nor begin a job of its own.
  using Part = void (*)(const void* job, std::size_t index, std::size_t thread) noexcept;

  /// `count` threads, with the one that calls.
  constexpr explicit Threads(std::size_t count) : count_(count) {}
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  /// Threads, with the caller.
  std::size_t count() const { return count_; }
  /// Does the parts from 0 to `parts`, in any order and each by whoever is free, and returns when all are done.
  virtual void run(Part part, const void* job, std::size_t parts) = 0;
  /// Makes each thread's scratch memory at least so large; false where the memory cannot be had.
  virtual bool reserve(std::size_t bytes) = 0;
  /// Scratch memory of a thread, 64-byte aligned. It stays until the next reserve.
  virtual void* scratch(std::size_t thread) = 0;

 protected:
  ~Threads() = default;

  /// The number of threads, with the caller.
  std::size_t count_;
};

/// Threads of the operating system. In WebAssembly the calling thread alone.
class ThreadPool final : public Threads {
 public:
  /// Starts `threads` - 1 threads; 1 or more.
  explicit ThreadPool(std::size_t threads);
  /// In a process that was forked from the one that started the threads there are none to wait for.
  ~ThreadPool();

  /// Another number of threads from the next call on. No call may be running.
  void resize(std::size_t threads);

  void run(Part part, const void* job, std::size_t parts) override;
  bool reserve(std::size_t bytes) override;
  void* scratch(std::size_t thread) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ropewalk
