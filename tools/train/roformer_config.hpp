#pragma once

// The config.json of a shipped RoFormer.

#include <cstddef>
#include <string>

#include "recipe.hpp"

namespace ropewalk::train {

struct RoformerConfig {
  const char* architecture = "RoFormerForMaskedLM";
  const char* position_encoding = "rope";
  std::size_t vocabulary = 0;
  std::size_t max_position_embeddings = 512;
  // True if the model predicts words, by the transpose of their vectors.
  bool tied = true;
};

std::string roformer_config(const Recipe& recipe, const RoformerConfig& config);

}  // namespace ropewalk::train
