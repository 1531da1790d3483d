// tokenizer.json of the shipped model.
#pragma once

#include <string>

#include "tasks/english/english.hpp"

namespace ropewalk::train {

// As Hugging Face's tokenizers write it: lower case, split at spaces and punctuation, WordPiece,
// [CLS] text [SEP].
std::string tokenizer_json(const trainer::English& english);

}  // namespace ropewalk::train
