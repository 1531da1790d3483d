// The public face: shapes are checked and memory is had before a kind of task fills its rows.
#include "ropewalk/task.hpp"

#include <algorithm>
#include <utility>

#include "base/buffer.hpp"
#include "base/text.hpp"
#include "nn/cross_entropy.hpp"
#include "tasks/kind.hpp"
#include "tasks/make.hpp"

namespace ropewalk {
namespace {

constexpr std::size_t longest_sequence = 65536, most_tokens = std::size_t{1} << 24;

}  // namespace

struct TaskBatch::State {
  std::size_t batch = 0, sequence = 0;
  Buffer<std::int32_t> numbers;  // input_ids, attention_mask, labels

  std::size_t size() const { return batch * sequence; }
  std::span<const std::int32_t> part(std::size_t which) const {
    return {numbers.data() + which * size(), size()};
  }
};

TaskBatch::TaskBatch() : state_(std::make_unique<State>()) {}
TaskBatch::TaskBatch(TaskBatch&&) noexcept = default;
TaskBatch& TaskBatch::operator=(TaskBatch&&) noexcept = default;
TaskBatch::~TaskBatch() = default;

std::size_t TaskBatch::batch() const { return state_->batch; }
std::size_t TaskBatch::sequence() const { return state_->sequence; }
std::span<const std::int32_t> TaskBatch::input_ids() const { return state_->part(0); }
std::span<const std::int32_t> TaskBatch::attention_mask() const { return state_->part(1); }
std::span<const std::int32_t> TaskBatch::labels() const { return state_->part(2); }

TrainerBatch TaskBatch::view() const {
  return {.input = {.input_ids = input_ids(),
                    .batch = batch(),
                    .sequence = sequence(),
                    .token_type_ids = {},
                    .attention_mask = attention_mask()},
          .labels = labels()};
}

struct Task::State {
  task::Made made;
  Random random;
};

Task::Task(std::unique_ptr<State> state) : state_(std::move(state)) {}
Task::Task(Task&&) noexcept = default;
Task& Task::operator=(Task&&) noexcept = default;
Task::~Task() = default;

Result<Task> Task::make(const TaskOptions& options) {
  ROPEWALK_LET(made, task::make(options));
  return Task(std::make_unique<State>(State{std::move(made), Random(options.seed)}));
}

std::string_view Task::name() const { return state_->made.name; }
std::string_view Task::description() const { return state_->made.kind->description(); }
std::size_t Task::distance() const { return state_->made.distance; }
std::size_t Task::vocab_size() const { return symbols().size(); }
std::span<const std::string> Task::symbols() const { return state_->made.kind->symbols(); }
std::size_t Task::shortest_sequence() const { return state_->made.kind->shortest_sequence(); }
double Task::chance_accuracy() const { return state_->made.kind->chance_accuracy(); }

Status Task::try_make_batch(Split split, std::uint64_t index, std::size_t batch, std::size_t sequence,
                            TaskBatch& out) const {
  constexpr const char* function = "batch";
  const std::size_t least = shortest_sequence();
  if (sequence < least || sequence > longest_sequence) {
    return out_of_range(function, "sequence", sequence,
                        sentence({"a whole number from ", least, " to ", longest_sequence, " for ", name()}));
  }
  if (batch == 0 || batch > most_tokens / sequence) {
    return out_of_range(function, "batch", batch,
                        sentence({"a whole number from 1 to ", most_tokens / sequence, " for sequences of ",
                                  sequence, " tokens"}));
  }
  TaskBatch::State& state = *out.state_;
  const std::size_t size = batch * sequence;
  if (state.numbers.size() != 3 * size) {
    ROPEWALK_TRY(state.numbers.allocate(3 * size, function));
  }
  state.batch = batch, state.sequence = sequence;
  const std::span<std::int32_t> numbers = state.numbers.span();
  std::fill_n(numbers.begin(), size, 0);
  std::fill_n(numbers.begin() + size, size, 1);
  std::fill_n(numbers.begin() + 2 * size, size, nn::ignored_label);
  const Random stream = state_->random.fork(static_cast<std::uint64_t>(split)).fork(index);
  for (std::size_t row = 0; row < batch; ++row) {
    Random random = stream.fork(row);
    const auto of_row = [&](std::size_t part) {
      return numbers.subspan(part * size + row * sequence, sequence);
    };
    state_->made.kind->fill(random, {.ids = of_row(0), .mask = of_row(1), .labels = of_row(2)});
  }
  return {};
}

Status Task::try_best(const TaskBatch& batch, Evaluation& best) const {
  if (batch.batch() == 0) return out_of_range("best", "batch", "empty", "a batch that this task made");
  for (const std::int32_t id : batch.input_ids()) {
    if (static_cast<std::size_t>(id) >= vocab_size()) {
      return out_of_range("best", "batch", "of another task", "a batch that this task made");
    }
  }
  task::Tally tally;
  const std::size_t sequence = batch.sequence();
  for (std::size_t row = 0; row < batch.batch(); ++row) {
    const auto of_row = [&](std::span<const std::int32_t> all) {
      return all.subspan(row * sequence, sequence);
    };
    ROPEWALK_TRY(state_->made.kind->add_best(
        {of_row(batch.input_ids()), of_row(batch.attention_mask()), of_row(batch.labels())}, tally));
  }
  best = {.loss = tally.loss / tally.labels, .accuracy = tally.right / tally.labels};
  return {};
}

}  // namespace ropewalk
