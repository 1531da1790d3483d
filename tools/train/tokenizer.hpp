// tokenizer.json of the shipped models.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tasks/english/english.hpp"

namespace ropewalk::train {

// As Hugging Face's tokenizers write it: lower case, split at spaces and punctuation, WordPiece,
// [CLS] text [SEP]. The words stand behind the special tokens of token_ids.hpp.
std::string tokenizer_json(std::span<const std::string_view> words);

// The same for the decoder: <|endoftext|> text, and the ids of decoder_ids.hpp.
std::string decoder_tokenizer_json(const trainer::English& english);

}  // namespace ropewalk::train
