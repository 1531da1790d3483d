// Threads that the package lends to models (ropewalk/threads.hpp): workers that run this module's code in its memory, with stacks
// of their own. bindings/ts/module/threads.ts starts them; they wait here for jobs of the calling thread.
//
// The caller never waits for a worker that has not claimed a part, so a worker that has died between two calls is ignored.
// During a call only the calling thread could terminate a worker, and it does not. A worker that fails reports that, and
// its part is computed once more.

#include <emscripten/emscripten.h>
#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "nn/compute.hpp"

extern "C" void _emscripten_stack_restore(void* pointer);

namespace ropewalk::embind {
namespace {

using Part = Threads::Part;

constexpr std::uint32_t most_threads = 16;
constexpr std::size_t stack_bytes = std::size_t{64} << 10;
/// The part of a worker's stack for the functions of relaxed.wasm.
constexpr std::size_t int8_stack_bytes = std::size_t{8} << 10;
/// Looks at a word before a thread sleeps, which costs some microseconds: a tenth of a millisecond, longer than what one
/// thread does alone between two jobs.
constexpr std::uint32_t looks = 100000;
constexpr std::int64_t forever = -1;

/// All members but those of the job are read and written by atomic operations alone. Each stands on a cache line of its
/// own.
struct Board {
  /// The number of the job in the upper half, and in the lower one the next part that nobody has taken.
  alignas(64) std::uint64_t next;
  /// Parts that are done.
  alignas(64) std::uint32_t done;
  /// The number of the job once more: idle workers wait for it to change.
  alignas(64) std::uint32_t job_number;
  std::uint32_t sleeping;
  /// The calling thread sleeps until parts are done.
  std::uint32_t is_awaited;
  /// Workers that have failed, a bit for each.
  std::uint32_t failed;
  /// Part that a thread has taken and not done, plus 1.
  std::uint32_t taken[most_threads];

  // The job. It changes only when all parts of the last one are done, and while `next` lets nobody take one.
  alignas(64) Part part;
  const void* job;
  std::uint32_t parts;
};
Board board;

template <class T>
T get(const T& word) {
  return __atomic_load_n(&word, __ATOMIC_SEQ_CST);
}
template <class T>
void set(T& word, T value) {
  __atomic_store_n(&word, value, __ATOMIC_SEQ_CST);
}
std::uint32_t add(std::uint32_t& word, std::uint32_t value) {
  return __atomic_fetch_add(&word, value, __ATOMIC_SEQ_CST);
}
/// Sleeps unless the word has changed, and until somebody wakes it.
void sleep(std::uint32_t& word, std::uint32_t value) {
  __builtin_wasm_memory_atomic_wait32(reinterpret_cast<int*>(&word), static_cast<int>(value), forever);
}
void wake(std::uint32_t& word) { __builtin_wasm_memory_atomic_notify(reinterpret_cast<int*>(&word), ~0U); }

void finish(std::uint32_t thread) {
  set(board.taken[thread], 0U);
  add(board.done, 1);
  if (get(board.is_awaited) != 0) wake(board.done);
}

/// Fails where the stack has no room, before the part has written anything: what is done in place cannot be done again.
[[gnu::noinline]] void probe_stack() {
  volatile unsigned char room[4096];
  room[0] = 0;
}

/// Takes parts of the job until none is left.
void work(std::uint32_t thread) {
  for (;;) {
    std::uint64_t next = get(board.next);
    const auto index = static_cast<std::uint32_t>(next);
    // If the job is over by now, these two may belong to the next one; then the exchange fails.
    const Part part = get(board.part);
    const void* const job = get(board.job);
    if (index >= get(board.parts)) return;
    set(board.taken[thread], index + 1);
    if (__atomic_compare_exchange_n(&board.next, &next, next + 1, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST)) {
      if (thread != 0) probe_stack();
      part(job, index, thread);
      finish(thread);
    } else {
      set(board.taken[thread], 0U);
    }
  }
}

std::uint32_t slots = 0;
bool may_sleep = false;

/// Does what failed workers had taken.
void do_again() {
  for (std::uint32_t failed = get(board.failed), thread = 1; thread < slots; ++thread) {
    const std::uint32_t taken = get(board.taken[thread]);
    if ((failed >> thread & 1) == 0 || taken == 0) continue;
    board.part(board.job, taken - 1, 0);
    finish(thread);
  }
}

void run_job(Part part, const void* job, std::size_t parts) {
  const std::uint32_t number = board.job_number + 1;
  const std::uint64_t first = std::uint64_t{number} << 32;
  set(board.next, first | ~0U);  // nobody takes a part of a job that is half written
  set(board.part, part);
  set(board.job, job);
  set(board.parts, static_cast<std::uint32_t>(parts));
  set(board.done, 0U);
  set(board.next, first);
  set(board.job_number, number);
  if (get(board.sleeping) != 0) wake(board.job_number);
  work(0);
  for (std::uint32_t look = 0;; ++look) {
    const std::uint32_t done = get(board.done);
    if (done == parts) return;
    if (get(board.failed) != 0) do_again();
    // A page may not sleep.
    if (look < looks || !may_sleep) continue;
    set(board.is_awaited, 1U);
    sleep(board.done, done);
    set(board.is_awaited, 0U);
  }
}

unsigned char* memory[most_threads];
std::size_t memory_bytes = 0;
/// Stacks and scratch memory, as the allocator counts them.
std::size_t kept_bytes = 0;

bool reserve_scratch(std::size_t bytes) {
  if (bytes <= memory_bytes) return true;
  bytes = (bytes + 63) / 64 * 64;
  for (std::uint32_t thread = 0; thread < slots; ++thread) {
    void* const fresh = std::aligned_alloc(64, bytes);
    if (fresh == nullptr) return false;
    kept_bytes += malloc_usable_size(fresh) - malloc_usable_size(memory[thread]);
    std::free(memory[thread]);
    memory[thread] = static_cast<unsigned char*>(fresh);
  }
  memory_bytes = bytes;
  return true;
}

class Workers final : public Threads {
 public:
  constexpr Workers() : Threads(1) {}
  void set_count(std::size_t count) { count_ = count; }
  void run(Part part, const void* job, std::size_t parts) override { run_job(part, job, parts); }
  bool reserve(std::size_t bytes) override { return reserve_scratch(bytes); }
  void* scratch(std::size_t thread) override { return memory[thread]; }
};
constinit Workers workers;

/// Runs in a worker until it fails.
void serve(std::uint32_t thread) {
  for (;;) {
    const std::uint32_t seen = get(board.job_number);
    work(thread);
    for (std::uint32_t look = 0; look < looks && get(board.job_number) == seen; ++look) continue;
    add(board.sleeping, 1);
    sleep(board.job_number, seen);
    add(board.sleeping, ~0U);
  }
}

/// Said by a worker whose serve() has failed.
void fail(std::uint32_t thread) {
  __atomic_fetch_or(&board.failed, 1U << thread, __ATOMIC_SEQ_CST);
  if (get(board.is_awaited) != 0) wake(board.done);
}

}  // namespace

}  // namespace ropewalk::embind

namespace ropewalk::nn {

Threads* module_threads() { return &embind::workers; }

}  // namespace ropewalk::nn

extern "C" {

/// Makes room for a worker that is thread `thread`, from 1 on, and tells what it needs: the end of its stack, that of the
/// stack for relaxed.wasm, and the places in the table of the functions that set the stack pointer, serve, and say that
/// this failed. nullptr where the memory cannot be had.
EMSCRIPTEN_KEEPALIVE const std::uint32_t* ropewalk_thread(std::uint32_t thread) {
  using namespace ropewalk::embind;
  static std::uint32_t told[5];
  if (thread >= most_threads) return nullptr;
  auto* const stack = static_cast<unsigned char*>(std::aligned_alloc(64, stack_bytes));
  if (stack == nullptr) return nullptr;
  kept_bytes += malloc_usable_size(stack);
  // Threads that come later need scratch memory as well.
  memory_bytes = 0;
  if (slots <= thread) slots = thread + 1;
  const auto address = [](auto pointer) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(pointer));
  };
  told[0] = address(stack + stack_bytes);
  told[1] = address(stack + int8_stack_bytes);
  told[2] = address(&_emscripten_stack_restore);
  told[3] = address(&serve);
  told[4] = address(&fail);
  return told;
}

/// Bytes that threads have taken for as long as the module lives.
EMSCRIPTEN_KEEPALIVE double ropewalk_thread_bytes() {
  return static_cast<double>(ropewalk::embind::kept_bytes);
}

/// So many threads, with the calling one, do large jobs from now on. `sleeps`: the calling one may sleep.
EMSCRIPTEN_KEEPALIVE void ropewalk_lend_threads(std::uint32_t count, bool sleeps) {
  using namespace ropewalk::embind;
  workers.set_count(count);
  may_sleep = sleeps;
}
}
