// The encoder that finds sentences of the generated English by meaning.
#pragma once

#include <filesystem>

#include "recipe.hpp"

namespace ropewalk::train {

// Trains it, measures it on phrasings that training did not have, and writes the folder.
void train_embedder(const Recipe& recipe, const std::filesystem::path& folder);

}  // namespace ropewalk::train
