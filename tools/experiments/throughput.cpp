#include "throughput.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "arch/select.hpp"
#include "base/buffer.hpp"
#include "clock.hpp"
#include "formats/json/value.hpp"
#include "ropewalk/task.hpp"
#include "ropewalk/trainer.hpp"
#include "run.hpp"

namespace ropewalk::experiments {
namespace {

// Multiply-adds per second of C (M,N) = A (M,K) B (K,N): the best of several, since what disturbs only slows.
double product_peak() {
  constexpr std::size_t m = 256, n = 256, k = 256;
  const auto& dense = arch::active()->dense;
  Buffer<float> a, b, packed, c;
  for (auto [buffer, size] :
       {std::pair{&a, m * k}, {&b, k * n}, {&packed, dense.packed_size(k, n)}, {&c, m * n}}) {
    raise(buffer->allocate(size, "throughput"));
    std::fill_n(buffer->data(), size, 0.5F);
  }
  dense.pack({.b = b.data(), .k_stride = n, .n_stride = 1, .packed = packed.data(), .k = k, .n = n});
  double best = 0;
  for (int round = 0; round < 40; ++round) {
    const double begun = thread_seconds();
    for (int again = 0; again < 8; ++again) {
      dense.gemm({.a = a.data(),
                  .a_row = k,
                  .a_k = 1,
                  .b = packed.data(),
                  .bias = nullptr,
                  .c = c.data(),
                  .c_row = n,
                  .m = m,
                  .n = n,
                  .k = k,
                  .accumulate = false});
    }
    best = std::max(best, 8.0 * m * n * k / (thread_seconds() - begun));
  }
  return best;
}

// Multiply-adds of one step, of the matrix products alone: forward, and twice that backward. Scores and context are
// T^2 each. The head works on the hidden tokens only.
double multiply_adds(const Spec& spec, const TaskBatch& batch) {
  const auto hidden = static_cast<double>(spec.hidden);
  const auto length = static_cast<double>(batch.sequence());
  const double tokens = static_cast<double>(batch.batch()) * length;
  const double layer =
      tokens * hidden * (4 * hidden + 2 * static_cast<double>(spec.feed_forward.width) + 2 * length);
  const std::span<const std::int32_t> labels = batch.labels();
  const auto asked = static_cast<double>(labels.size()) -
                     static_cast<double>(std::count(labels.begin(), labels.end(), -100));
  const double head = asked * hidden * (hidden + static_cast<double>(spec.vocabulary));
  return 3 * (static_cast<double>(spec.layers.size()) * layer + head);
}

}  // namespace

std::string measure_throughput(const Settings& settings) {
  const Task task({.name = settings.task, .distance = settings.distance, .seed = settings.seed});
  const std::string config =
      with_vocabulary(settings.config, *make_data(settings.task, settings.distance, settings.seed));
  Trainer trainer({.spec = raise(spec_from_config(config)),
                   .seed = settings.seed,
                   .optimizer = {.learning_rate = settings.learning_rate}});
  std::vector<TaskBatch> batches(8);
  for (std::size_t i = 0; i < batches.size(); ++i) {
    task.make_batch(Split::train, i, settings.batch, settings.length, batches[i]);
  }
  const double before = product_peak();
  for (std::size_t i = 0; i < settings.warmup_steps; ++i) trainer.train(batches[i % batches.size()]);
  std::vector<double> seconds;
  for (std::size_t i = 0; i < settings.steps; ++i) {
    const double begun = thread_seconds();
    trainer.train(batches[i % batches.size()]);
    seconds.push_back(thread_seconds() - begun);
  }
  const double peak = std::max(before, product_peak());
  std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
  const double median = seconds[seconds.size() / 2];
  const double work = multiply_adds(trainer.spec(), batches[0]);
  char text[512];
  std::snprintf(
      text, sizeof text,
      "{\"key\":%s,\"parameters\":%zu,\"architecture\":\"%s\",\"step_seconds\":%.6g,"
      "\"tokens_per_second\":%.6g,\"multiply_adds_per_step\":%.6g,\"multiply_adds_per_second\":%.6g,"
      "\"product_peak\":%.6g}\n",
      json::quoted(settings.key).c_str(), trainer.parameter_count(),
      std::string(arch::active()->name).c_str(), median,
      static_cast<double>(settings.batch * settings.length) / median, work, work / median, peak);
  return text;
}

}  // namespace ropewalk::experiments
