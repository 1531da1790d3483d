// The README.md that lies beside the model.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "held_out.hpp"
#include "recipe.hpp"

namespace ropewalk::train {

struct Run {
  bool shipped = false;  // whether it takes the shipped model's place
  double seconds = 0;
  std::size_t threads = 0, parameters = 0;
  std::uint64_t texts = 0, tokens = 0;
  std::string file_type;                                   // F16 or F32
  std::vector<std::pair<std::string, std::size_t>> files;  // name and bytes
  std::vector<std::pair<std::string, std::vector<Guess>>> fills;
};

std::string report(const Recipe& recipe, const Run& run, const Accuracies& accuracies);

}  // namespace ropewalk::train
