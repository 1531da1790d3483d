// One run as the plan describes it: a line of JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ropewalk::experiments {

// Start values of every tensor whose name ends so, in place of the usual ones.
struct Start {
  std::string tensor;
  double value;  // of all elements
};

// A measurement of the trained weights.
struct Test {
  std::string name;
  std::size_t length, distance;
  std::string config;  // in place of the run's, e.g. with another frequency rule; empty: the run's
};

struct Settings {
  std::string key;  // names the file of the result
  std::string task;
  std::size_t distance;
  // Seed of the weights and of the data. Runs of one seed differ only in the other members of this struct.
  std::uint64_t seed;
  std::string config;
  std::vector<Start> starts;
  double learning_rate, weight_decay, beta2;
  std::size_t steps, warmup_steps, batch, length;
  // Validation, and the curve's spacing.
  std::size_t evaluate_every, evaluation_rows;
  // Training ends early once this share of the way from chance to the best possible accuracy was there this
  // many evaluations in a row; 0: never.
  double stop_share;
  std::size_t stop_after;
  // Such a run goes on for this many steps, in which its rate falls to 0, so that it ends as the others do.
  std::size_t cooldown_steps;
  std::size_t test_rows;
  std::vector<Test> tests;
  // The run whose weights this one begins with, by its key; empty: none. And whether those of this one are kept.
  std::string from;
  bool keeps_weights;
  std::vector<std::string>
      watch;  // tensors whose values are kept at every evaluation, by the end of the name
};

// Throws std::invalid_argument for a line that is not a run.
Settings read_settings(std::string_view line);

}  // namespace ropewalk::experiments
