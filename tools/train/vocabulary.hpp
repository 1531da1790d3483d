// The token ids of the shipped model: five special tokens, then the words of the generated English.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/english/english.hpp"

namespace ropewalk::train {

inline constexpr std::array<std::string_view, 5> special_tokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]",
                                                                   "[MASK]"};
inline constexpr std::int32_t pad_id = 0, unknown_id = 1, begin_id = 2, end_id = 3, mask_id = 4,
                              first_word_id = 5;
inline constexpr std::array<std::int32_t, 5> special_ids = {pad_id, unknown_id, begin_id, end_id, mask_id};

inline std::size_t vocab_size(const trainer::English& english) {
  return first_word_id + english.words().size();
}
// Of a text's place, in a sequence that begins with [CLS].
inline std::int32_t id_of(int word) { return first_word_id + word; }
std::string_view token_of(const trainer::English& english, std::int32_t id);

// tokenizer.json as Hugging Face's tokenizers write it: lower case, split at spaces and punctuation,
// WordPiece, [CLS] text [SEP].
std::string tokenizer_json(const trainer::English& english);

}  // namespace ropewalk::train
