// Training a model by its recipe.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string_view>
#include <thread>

#include "recipe.hpp"
#include "ropewalk/trainer.hpp"

namespace ropewalk::train {

// One line that says how training goes: rewritten in a terminal, repeated now and then in a log.
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

// The threads that the recipe asks for: no more than it has shards.
inline std::size_t threads_of(const Recipe& recipe) {
  const std::size_t machine = std::max(1u, std::thread::hardware_concurrency());
  return std::min(recipe.threads == 0 ? machine : recipe.threads, recipe.shards);
}

// The options that the recipe sets for the trainer of any model.
inline TrainerOptions trainer_options(const Recipe& recipe, std::string_view config) {
  return {.spec = raise(spec_from_config(config)),
          .seed = recipe.seed,
          .optimizer = {.learning_rate = recipe.learning_rate,
                        .weight_decay = recipe.weight_decay,
                        .warmup_steps = recipe.warmup_steps,
                        .total_steps = recipe.steps},
          .shards = recipe.shards,
          .threads = threads_of(recipe)};
}

struct Run {
  std::size_t parameters = 0, threads = 0;
  std::uint64_t tokens = 0;
  double seconds = 0, cpu_seconds = 0;
};

// Trains for the steps of the recipe on what `batches.next()` gives. `words`: how many the vocabulary has.
template <class Batches>
Run run_steps(const Recipe& recipe, Trainer& trainer, Batches& batches, std::size_t words) {
  Run run{.parameters = trainer.parameter_count(), .threads = threads_of(recipe)};
  std::printf("%zu words, %zu parameters, %zu threads\n", words, run.parameters, run.threads);
  Progress progress(recipe.steps);
  const std::clock_t begun = std::clock();
  for (std::size_t done = 1; done <= recipe.steps; ++done) {
    const TrainingStep step = trainer.train(batches.next());
    progress.report(done, step, batches.tokens());
  }
  run.seconds = progress.seconds();
  run.cpu_seconds = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
  run.tokens = batches.tokens();
  return run;
}

}  // namespace ropewalk::train
