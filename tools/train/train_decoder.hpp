// Trains the decoder, measures it and writes its folder, with the figures in report.json.
#pragma once

#include <filesystem>

#include "recipe.hpp"

namespace ropewalk::train {

void train_decoder(const Recipe& recipe, const std::filesystem::path& folder);

}  // namespace ropewalk::train
