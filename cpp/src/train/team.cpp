#include "train/team.hpp"

#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)

namespace ropewalk::trainer {

struct Team::Threads {};
Team::Team(std::size_t) {}
Team::~Team() = default;
void Team::do_all(std::size_t items, Job job) {
  for (std::size_t item = 0; item < items; ++item) job.call(job.work, item);
}

}  // namespace ropewalk::trainer

#else

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace ropewalk::trainer {

struct Team::Threads {
  std::mutex mutex;
  std::condition_variable begins, ends;
  Job job{};
  std::size_t items = 0, next = 0, unfinished = 0;
  bool closing = false;
  std::vector<std::thread> helpers;

  // Takes items until none is left. `lock` holds the mutex, but not while an item is done.
  void work(std::unique_lock<std::mutex>& lock) {
    while (next < items) {
      const std::size_t item = next++;
      const Job mine = job;
      lock.unlock();
      mine.call(mine.work, item);
      lock.lock();
      if (--unfinished == 0) ends.notify_all();
    }
  }

  void help() {
    std::unique_lock lock(mutex);
    for (;;) {
      begins.wait(lock, [&] { return closing || next < items; });
      if (closing) return;
      work(lock);
    }
  }
};

Team::Team(std::size_t threads) : threads_(std::make_unique<Threads>()) {
  for (std::size_t i = 1; i < threads; ++i)
    threads_->helpers.emplace_back([all = threads_.get()] { all->help(); });
}

Team::~Team() {
  {
    const std::lock_guard lock(threads_->mutex);
    threads_->closing = true;
  }
  threads_->begins.notify_all();
  for (std::thread& helper : threads_->helpers) helper.join();
}

void Team::do_all(std::size_t items, Job job) {
  if (items == 0) return;
  Threads& all = *threads_;
  std::unique_lock lock(all.mutex);
  all.job = job;
  all.items = items;
  all.next = 0;
  all.unfinished = items;
  if (!all.helpers.empty()) all.begins.notify_all();
  all.work(lock);
  all.ends.wait(lock, [&] { return all.unfinished == 0; });
}

}  // namespace ropewalk::trainer

#endif
