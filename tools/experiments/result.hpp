// The result of a run, and its line of JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ropewalk/trainer.hpp"

namespace ropewalk::experiments {

struct Point {
  std::size_t step;
  double train_loss;  // mean over the steps since the last point; NaN for the first
  Evaluation validation;
  double seconds;  // computed so far
  std::vector<float> watched;
};

struct Tested {
  std::string name;
  std::size_t length, distance;
  Evaluation got, best;  // best: what nobody beats on average
  double chance;
  double seen;                             // share of the rows that training had as well
  double bleu;                             // of a translation, from 0 to 1
  std::vector<double> expected, answered;  // for GLUE's metrics: the answer of each line, and the model's
};

struct Outcome {
  std::size_t parameters = 0, steps = 0, tokens = 0;
  double seconds = 0;
  Evaluation best;  // on the validation rows
  double chance = 0;
  std::vector<Point> curve;
  std::vector<Tested> tests;
};

std::string as_json(const std::string& key, const Outcome& outcome);

}  // namespace ropewalk::experiments
