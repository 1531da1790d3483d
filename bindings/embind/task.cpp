// Task: creation, a batch, and the best guess of it.

#include "ropewalk/task.hpp"

#include <emscripten/bind.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "answer.hpp"
#include "memory.hpp"
#include "tasks/options_from_json.hpp"

namespace {

using ropewalk::Result;
using ropewalk::Split;
using ropewalk::embind::guarded;
using ropewalk::embind::keep;

/// The task, and what its last calls found.
struct Asking {
  ropewalk::Task task;
  ropewalk::TaskBatch batch = {};
  ropewalk::Evaluation best = {};
};

Asking* make_task(std::uintptr_t options, std::size_t size) {
  if (!ropewalk::embind::have_memory(ropewalk::embind::lists_of_a_model)) return nullptr;
  const Result<ropewalk::TaskOptions> read =
      ropewalk::task_options_from_json(ropewalk::embind::text_at(options, size));
  if (!read.ok()) return keep(read.status()), nullptr;
  Result<ropewalk::Task> made = ropewalk::Task::make(read.value());
  if (!made.ok()) return keep(made.status()), nullptr;
  return new Asking{std::move(made).value()};
}

void name(const Asking& asking) { ropewalk::embind::show(asking.task.name()); }
void description(const Asking& asking) { ropewalk::embind::show(asking.task.description()); }
std::size_t distance(const Asking& asking) { return asking.task.distance(); }
std::size_t shortest_sequence(const Asking& asking) { return asking.task.shortest_sequence(); }
double chance_accuracy(const Asking& asking) { return asking.task.chance_accuracy(); }

/// With a space between two, which no symbol holds.
void symbols(const Asking& asking) {
  std::string all;
  for (const std::string& symbol : asking.task.symbols()) {
    if (!all.empty()) all += ' ';
    all += symbol;
  }
  ropewalk::embind::answer(std::move(all));
}

int make_batch(Asking& asking, bool validation, double index, std::size_t batch, std::size_t sequence) {
  return guarded([&] {
    return asking.task.try_make_batch(validation ? Split::validation : Split::train,
                                      static_cast<std::uint64_t>(index), batch, sequence, asking.batch);
  });
}

/// Address of the last batch: ids, mask and labels, one after the other.
std::uintptr_t batch_address(const Asking& asking) {
  return reinterpret_cast<std::uintptr_t>(asking.batch.input_ids().data());
}

/// Scores the best possible guesser on the last batch, for bestLoss() and bestAccuracy().
int find_best(Asking& asking) {
  return guarded([&] { return asking.task.try_best(asking.batch, asking.best); });
}
double best_loss(const Asking& asking) { return asking.best.loss; }
double best_accuracy(const Asking& asking) { return asking.best.accuracy; }

}  // namespace

EMSCRIPTEN_BINDINGS(ropewalk_task) {
  using namespace emscripten;
  class_<Asking>("Task")
      .function("name", &name)
      .function("description", &description)
      .function("distance", &distance)
      .function("symbols", &symbols)
      .function("shortestSequence", &shortest_sequence)
      .function("chanceAccuracy", &chance_accuracy)
      .function("makeBatch(validation, index, batch, sequence)", &make_batch)
      .function("batchAddress", &batch_address)
      .function("findBest", &find_best)
      .function("bestLoss", &best_loss)
      .function("bestAccuracy", &best_accuracy);
  function("makeTask(options, size)", &make_task, return_value_policy::take_ownership());
}
