// The data that a run learns from: rows of tokens with labels or targets, which a seed makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ropewalk/task.hpp"
#include "ropewalk/trainer.hpp"

namespace ropewalk::experiments {

// Rows of one length. Which of labels and targets there are depends on the objective.
struct Rows {
  std::size_t count = 0, length = 0;
  std::vector<std::int32_t> ids, mask, labels;  // (count,length); labels of classification: (count)
  std::vector<float> targets;                   // (count)
  std::shared_ptr<const TaskBatch> of_task;     // where a task of the library made them

  TrainerBatch view() const {
    return {.input = {.input_ids = ids, .batch = count, .sequence = length, .attention_mask = mask},
            .labels = labels,
            .targets = targets};
  }
};

// The same on every thread and machine: safe to share.
class Data {
 public:
  virtual ~Data() = default;
  virtual Objective objective() const = 0;
  virtual std::size_t vocab_size() const = 0;
  // Outputs of a classification head.
  virtual std::size_t classes() const { return 2; }
  // Rows that are evaluated together, where others of a batch would change the answer; 0: all.
  virtual std::size_t judged_together() const { return 0; }
  // The accuracy of a guess that sees nothing.
  virtual double chance() const = 0;
  // The batch numbered `index` of a split.
  virtual Rows make(Split split, std::uint64_t index, std::size_t count, std::size_t length) const = 0;
  // The best evaluation that is possible on average; NaN where it is not known.
  virtual Evaluation best(const Rows& rows) const;
};

// A task of the library, by its name, or one of those below. Throws std::invalid_argument for another name.
std::unique_ptr<Data> make_data(const std::string& name, std::size_t distance, std::uint64_t seed);

// The generated English letter by letter: which one follows?
std::unique_ptr<Data> make_characters(std::uint64_t seed);

// Tasks in the manner of GLUE from the words of the generated English, each with a fixed number of lines to train on:
// acceptability (as CoLA), coreference (as RTE) and similarity (as STS-B). nullptr for another name.
std::unique_ptr<Data> make_glue(const std::string& name, std::uint64_t seed);

// Long documents: "accounts" to pre-train on, and "matching", whose accounts begin in the stretch that begins at token
// `distance`, or in any for 0. nullptr for another name.
std::unique_ptr<Data> make_documents(const std::string& name, std::size_t distance, std::uint64_t seed);

}  // namespace ropewalk::experiments
