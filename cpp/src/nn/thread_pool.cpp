#include "ropewalk/threads.hpp"

#if defined(__EMSCRIPTEN__)

namespace ropewalk {

struct ThreadPool::State {};
ThreadPool::ThreadPool(std::size_t) : Threads(1) {}
ThreadPool::~ThreadPool() = default;
void ThreadPool::run(Part part, const void* job, std::size_t parts) {
  for (std::size_t item = 0; item < parts; ++item) part(job, item, 0);
}
void ThreadPool::resize(std::size_t) {}
// One thread has no parts of jobs (threads_for), so that nobody asks for its scratch memory.
bool ThreadPool::reserve(std::size_t) { return false; }
void* ThreadPool::scratch(std::size_t) { return nullptr; }

}  // namespace ropewalk

#else

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

#include "base/buffer.hpp"

namespace ropewalk {
namespace {

/// A thread looks for the next job so long before it sleeps: longer than what one thread does alone between two jobs, and
/// about as long as it takes to wake a thread.
constexpr std::chrono::microseconds patience{50};

int process() {
#if defined(__unix__) || defined(__APPLE__)
  return static_cast<int>(getpid());
#else
  return 0;
#endif
}

/// Waits for ready() for a short time; returns false where it did not come.
template <class Ready>
bool look(const Ready& ready) {
  const auto end = std::chrono::steady_clock::now() + patience;
  do {
    for (int i = 0; i < 64; ++i) {
      if (ready()) return true;
#if defined(__x86_64__) || defined(_M_X64)
      __builtin_ia32_pause();
#endif
    }
  } while (std::chrono::steady_clock::now() < end);
  return ready();
}

}  // namespace

struct ThreadPool::State {
  explicit State(std::size_t count);
  ~State();

  /// The number of the job in the upper half, and in the lower one the next part that nobody has taken.
  alignas(64) std::atomic<std::uint64_t> next{0};
  /// Parts that are done.
  alignas(64) std::atomic<std::uint32_t> done{0};
  /// The number of the job once more: idle threads wait for it to change.
  alignas(64) std::atomic<std::uint32_t> job_number{0};
  std::atomic<std::uint32_t> sleeping{0};
  std::atomic<bool> closing{false};
  // The job. It changes only when all parts of the last one are done, and while `next` lets nobody take one.
  alignas(64) std::atomic<Part> part{nullptr};
  std::atomic<const void*> job{nullptr};
  std::atomic<std::uint32_t> parts{0};

  const int owner = process();
  std::vector<Buffer<std::byte> > memory;
  std::vector<std::thread> helpers;

  void run(Part part, const void* job, std::size_t parts);
  void work(std::uint32_t thread);
  void help(std::uint32_t thread);
};

/// Takes parts of the job until none is left.
void ThreadPool::State::work(std::uint32_t thread) {
  for (;;) {
    std::uint64_t seen = next.load();
    const auto index = static_cast<std::uint32_t>(seen);
    // If the job is over by now, these two may belong to the next one; then the exchange fails.
    const Part current = part.load();
    const void* const of = job.load();
    if (index >= parts.load()) return;
    if (!next.compare_exchange_strong(seen, seen + 1)) continue;
    current(of, index, thread);
    done.fetch_add(1);
    done.notify_one();
  }
}

void ThreadPool::State::help(std::uint32_t thread) {
  for (;;) {
    const std::uint32_t seen = job_number.load();
    work(thread);
    if (closing.load()) return;
    if (look([&] { return job_number.load() != seen; })) continue;
    sleeping.fetch_add(1);
    job_number.wait(seen);
    sleeping.fetch_sub(1);
  }
}

/// The caller never waits for a thread that has not taken a part.
void ThreadPool::State::run(Part what, const void* of, std::size_t count) {
  const std::uint32_t number = job_number.load() + 1;
  const std::uint64_t first = std::uint64_t{number} << 32;
  next.store(first | 0xffffffffU);
  part.store(what);
  job.store(of);
  parts.store(static_cast<std::uint32_t>(count));
  done.store(0);
  next.store(first);
  job_number.store(number);
  if (sleeping.load() != 0) job_number.notify_all();
  work(0);
  while (!look([&] { return done.load() == count; })) {
    const std::uint32_t seen = done.load();
    if (seen != count) done.wait(seen);
  }
}

ThreadPool::State::State(std::size_t count) : memory(count) {
  for (std::uint32_t i = 1; i < count; ++i) helpers.emplace_back([this, i] { help(i); });
}

ThreadPool::State::~State() {
  if (process() != owner) {
    for (std::thread& each : helpers) each.detach();
    return;
  }
  closing.store(true);
  job_number.fetch_add(1);
  job_number.notify_all();
  for (std::thread& each : helpers) each.join();
}

ThreadPool::ThreadPool(std::size_t threads) : Threads(threads), state_(std::make_unique<State>(threads)) {}
ThreadPool::~ThreadPool() = default;

void ThreadPool::resize(std::size_t threads) {
  if (threads == count_) return;
  state_ = std::make_unique<State>(threads);
  count_ = threads;
}

void ThreadPool::run(Part part, const void* job, std::size_t parts) { state_->run(part, job, parts); }

bool ThreadPool::reserve(std::size_t bytes) {
  for (Buffer<std::byte>& each : state_->memory) {
    if (!each.reserve(bytes, "ThreadPool").ok()) return false;
  }
  return true;
}

void* ThreadPool::scratch(std::size_t thread) { return state_->memory[thread].data(); }

}  // namespace ropewalk

#endif
