// One line that says how training goes: rewritten in a terminal, repeated now and then in a log.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>

#include "ropewalk/trainer.hpp"

namespace ropewalk::train {

class Progress {
 public:
  explicit Progress(std::size_t steps) : steps_(steps), terminal_(isatty(fileno(stdout)) != 0) {}

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }

  void report(std::size_t done, const TrainingStep& step, std::uint64_t tokens) {
    // The mean over about the last hundred steps.
    const double weight = done < 100 ? 1.0 / static_cast<double>(done) : 0.01;
    loss_ += weight * (step.loss - loss_);
    accuracy_ += weight * (step.accuracy - accuracy_);
    const double now = seconds();
    if (done < steps_ && now < next_) return;
    next_ = now + (terminal_ ? 0.2 : 10);
    const auto left =
        static_cast<unsigned>(now * static_cast<double>(steps_ - done) / static_cast<double>(done));
    std::printf("%sstep %zu of %zu   loss %.3f   accuracy %.1f %%   %.0f tokens/s   %u:%02u left %s",
                terminal_ ? "\r" : "", done, steps_, loss_, 100 * accuracy_,
                static_cast<double>(tokens) / now, left / 60, left % 60,
                terminal_ && done < steps_ ? "" : "\n");
    std::fflush(stdout);
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::size_t steps_;
  bool terminal_;
  Clock::time_point begun_ = Clock::now();
  double next_ = 0, loss_ = 0, accuracy_ = 0;
};

}  // namespace ropewalk::train
