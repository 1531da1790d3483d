// The interface of a task, which fills one row of a batch at a time. One file per task; make.cpp knows them all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "ropewalk/trainer.hpp"

namespace ropewalk::task {

// One sequence to fill: (T) each. `ids` comes filled with [PAD], `mask` with 1, `labels` with -100.
struct Row {
  std::span<std::int32_t> ids, mask, labels;
};

// The same, to be read.
struct FilledRow {
  std::span<const std::int32_t> ids, mask, labels;
};

// The score of the best possible guesser, summed over the labels.
struct Tally {
  double loss = 0, right = 0, labels = 0;
  // `odds` of each answer, up to a factor.
  void add(std::span<const double> odds, std::size_t answer);
};

class Kind {
 public:
  virtual ~Kind() = default;
  virtual std::string_view description() const = 0;
  virtual std::size_t shortest_sequence() const = 0;
  virtual double chance_accuracy() const = 0;
  virtual void fill(Random& random, Row row) const = 0;
  // Adds the score of the exact odds given the visible tokens. This one is for tasks whose answers are certain.
  virtual Status add_best(const FilledRow& row, Tally& tally) const;

  std::span<const std::string> symbols() const { return symbols_; }

 protected:
  std::vector<std::string> symbols_;  // by id
};

// Arguments of a task: the distance as make.cpp has checked it, and random numbers of the task as a whole,
// which are the same for all its batches.
struct Wanted {
  std::size_t distance = 0;
  Random random;
};

std::unique_ptr<Kind> make_order(const Wanted& wanted);
std::unique_ptr<Kind> make_copy(const Wanted& wanted);
std::unique_ptr<Kind> make_period(const Wanted& wanted);
std::unique_ptr<Kind> make_induction(const Wanted& wanted);
std::unique_ptr<Kind> make_dyck(const Wanted& wanted);
std::unique_ptr<Kind> make_needle(const Wanted& wanted);
std::unique_ptr<Kind> make_markov(const Wanted& wanted);
std::unique_ptr<Kind> make_english(const Wanted& wanted);

}  // namespace ropewalk::task
