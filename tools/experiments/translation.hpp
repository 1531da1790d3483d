// Trains and tests a translator: an encoder-decoder, from the generated English into the made-up language.
#pragma once

#include "run.hpp"

namespace ropewalk::experiments {

inline constexpr std::string_view translation_task = "translation";

// As train_and_test. `length`: the most words of an English sentence.
Trained train_translator(const Settings& settings, const std::function<void(std::size_t)>& at);

}  // namespace ropewalk::experiments
