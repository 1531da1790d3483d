#pragma once

/// Small tasks that need word order, on which position encodings are compared. A seed makes any number of batches.
///
///   Task task({.name = "order", .seed = 7});
///   TaskBatch batch;
///   task.make_batch(Split::train, step, 32, 24, batch);        // 32 sequences of 24 tokens
///   trainer.train(batch);
///   task.make_batch(Split::validation, 0, 256, 48, batch);     // as many as wanted, twice as long
///   trainer.evaluate(batch);
///
/// Every task is for a masked language model. config.json needs no more of it than `vocab_size`, and id 0 is
/// [PAD] everywhere. The length of training and that of testing are two values of `sequence`.
///
/// - order: each [MASK] stands between two letters; does the left one come first in the alphabet (`<`) or
///   not (`>`)? The mirror image of a sequence is as likely and has the opposite answers. So whatever cannot
///   tell left from right, such as no encoding or symmetric ALiBi, is right half of the time, by
///   construction.
/// - copy: a marker such as `-3` asks for the letter so many places before or after it, at most `distance`
///   (1 to 64, default 4) away.
/// - period: a random sequence of `distance` (1 to 256, default 5) letters, repeated; 15 % of the letters are
///   hidden, but never all copies of one.
/// - induction: `A B ... A [MASK]`: what followed A the first time? Olsson et al., arXiv 2209.11895.
/// - dyck: balanced brackets of two kinds (Dyck-2), drawn uniformly from those of the length; 30 % of the
///   closing ones are hidden: which kind?
/// - needle: the last letter is hidden and the key before it occurs once more, followed by the same letter,
///   more than `distance` / 2 and at most `distance` (4 to 4096, default 16) places away, among random
///   letters and other keys with theirs.
/// - markov: the next letter is a fixed function of the last two, drawn from the seed, but for 10 % of random
///   letters; 15 % are hidden.
/// - english: generated texts of a few hundred words, `[CLS] text [SEP] text [SEP] ...` as many as fit, then
///   padding; 15 % of the words are hidden.
///
/// A hidden token always becomes [MASK], without BERT's random replacements, so that the best possible guess
/// is known exactly: try_best.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "ropewalk/status.hpp"
#include "ropewalk/trainer.hpp"

namespace ropewalk {

/// Batches of one never come from the random numbers of the other.
enum class Split : std::uint8_t { train, validation };

/// Options of Task::make.
struct TaskOptions {
  /// order, copy, period, induction, dyck, needle, markov or english.
  std::string name = "order";
  /// Distance of copy, period and needle, as above; 0: the task's default. The other tasks have none.
  std::size_t distance = 0;
  /// Seed of everything random, the table of markov included.
  std::uint64_t seed = 0;
};

/// B sequences of T tokens with their labels. Memory is reused from batch to batch.
class TaskBatch {
 public:
  TaskBatch();
  /// Moves. The source may only be destroyed or assigned to afterwards.
  TaskBatch(TaskBatch&&) noexcept;
  /// Moves. The source may only be destroyed or assigned to afterwards.
  TaskBatch& operator=(TaskBatch&&) noexcept;
  ~TaskBatch();

  /// B.
  std::size_t batch() const;
  /// T.
  std::size_t sequence() const;
  /// (B,T)
  std::span<const std::int32_t> input_ids() const;
  /// (B,T): 1 for tokens, 0 for padding: after the last text of english, and one for an odd T of dyck.
  std::span<const std::int32_t> attention_mask() const;
  /// (B,T): the id that is asked for, -100 where nothing is.
  std::span<const std::int32_t> labels() const;

  /// The batch as Trainer takes it: views that are valid until the batch is made anew, or its end.
  TrainerBatch view() const;
  /// view().
  operator TrainerBatch() const { return view(); }

 private:
  friend class Task;
  struct State;
  std::unique_ptr<State> state_;
};

/// Immutable: the same on every platform, and safe to share between threads.
class Task {
 public:
  /// type error for an unknown name; range error for a `distance` that the task does not allow.
  static Result<Task> make(const TaskOptions& options);
  /// Moves. The source may only be destroyed or assigned to afterwards.
  Task(Task&&) noexcept;
  /// Moves. The source may only be destroyed or assigned to afterwards.
  Task& operator=(Task&&) noexcept;
  ~Task();

  /// As TaskOptions::name.
  std::string_view name() const;
  /// One sentence: what is asked.
  std::string_view description() const;
  /// As above, 0 where the task has none.
  std::size_t distance() const;
  /// V, the number of token ids.
  std::size_t vocab_size() const;
  /// The text of each token id: (vocab_size).
  std::span<const std::string> symbols() const;
  /// The least T.
  std::size_t shortest_sequence() const;
  /// Share of right answers of the best guess that sees no other token, at any length.
  double chance_accuracy() const;

  /// Makes the batch numbered `index` of a split. Row r depends on the seed, split, index, r and `sequence`
  /// alone: not on the encoding, the machine, the thread, the number of rows or what was made before.
  /// range error for a `sequence` below shortest_sequence() or above 65536, for a `batch` of 0 or with more
  /// than 2^24 tokens; out of memory.
  /// After an error the batch is as before.
  [[nodiscard]] Status try_make_batch(Split split, std::uint64_t index, std::size_t batch,
                                      std::size_t sequence, TaskBatch& out) const;

  /// The score of the best possible guesser on the batch: mean loss in nats and accuracy of the exact odds of
  /// each hidden token given all that is visible, with the task's table or grammar known. No model does
  /// better on average. Loss 0 and accuracy 1 except for markov and english. `batch` must be of a task with
  /// these options: range error for ids that it has not; out of memory.
  [[nodiscard]] Status try_best(const TaskBatch& batch, Evaluation& best) const;

#if defined(__cpp_exceptions)
  /// As make, but throws the error.
  explicit Task(const TaskOptions& options) : Task(raise(make(options))) {}
  /// As try_make_batch, but throws the error.
  void make_batch(Split split, std::uint64_t index, std::size_t batch, std::size_t sequence,
                  TaskBatch& out) const {
    raise(try_make_batch(split, index, batch, sequence, out));
  }
  /// As try_best, but returns the score or throws the error.
  Evaluation best(const TaskBatch& batch) const {
    Evaluation best;
    raise(try_best(batch, best));
    return best;
  }
#endif

 private:
  struct State;
  explicit Task(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ropewalk
