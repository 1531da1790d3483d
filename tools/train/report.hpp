// The README.md that lies beside the model.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "held_out.hpp"
#include "recipe.hpp"
#include "training.hpp"

namespace ropewalk::train {

struct Outcome {
  bool shipped = false;                                    // whether it takes the shipped model's place
  std::string file_type;                                   // F16 or F32
  std::vector<std::pair<std::string, std::size_t>> files;  // name and bytes
  std::vector<std::pair<std::string, std::vector<Guess>>> fills;
};

std::string report(const Recipe& recipe, const Run& run, const Outcome& outcome,
                   const Accuracies& accuracies);

}  // namespace ropewalk::train
