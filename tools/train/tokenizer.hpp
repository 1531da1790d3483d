// tokenizer.json of the shipped models.
#pragma once

#include <string>

#include "tasks/english/english.hpp"

namespace ropewalk::train {

// As Hugging Face's tokenizers write it: lower case, split at spaces and punctuation, WordPiece,
// [CLS] text [SEP].
std::string tokenizer_json(const trainer::English& english);

// The same for the decoder: <|endoftext|> text, and the ids of decoder_ids.hpp.
std::string decoder_tokenizer_json(const trainer::English& english);

}  // namespace ropewalk::train
